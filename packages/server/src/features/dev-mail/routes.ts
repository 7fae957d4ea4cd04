import { Uuid } from '@gatehouse/contract';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { mailFolderPath } from '../../domain/mail/transport.ts';
import { brandOf } from '../../http/brand.ts';
import { type Feature, route } from '../../http/route.ts';
import { openMailFolder, type StoredMail } from '../../platform/mail/folder.ts';
import { MAIL_CONTENT_POLICY, type MailPage, renderMail, renderMailContent, renderMailList } from './page.ts';

const folderOf = ({ config, clock }: Deps) => openMailFolder({ path: mailFolderPath(config), clock });

const findMail = async (deps: Deps, id: string): Promise<StoredMail> => {
  const mail = await folderOf(deps).find(id);
  if (!mail) throw new ServiceError('not_found', 'no such mail');
  return mail;
};

const sendHtml = (reply: FastifyReply, { policy, html }: MailPage): FastifyReply =>
  reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);

const Params = Type.Object({ id: Uuid });

export const devMail: Feature = {
  name: 'Development',
  routes: [
    route({
      method: 'GET',
      path: '/dev/mail',
      atBase: true,
      admits: ['anyone'],
      summary: 'List sent mails, newest first',
      responses: { 200: null },
      produces: 'text/html',
      handler: async ({ deps, reply }) =>
        sendHtml(reply, renderMailList(await folderOf(deps).list(), brandOf(deps.config))),
    }),
    route({
      method: 'GET',
      path: '/dev/mail/:id',
      atBase: true,
      admits: ['anyone'],
      summary: 'Get a sent mail',
      params: Params,
      responses: { 200: null },
      errors: ['not_found'],
      produces: 'text/html',
      handler: async ({ deps, params, reply }) =>
        sendHtml(reply, renderMail(await findMail(deps, params.id), brandOf(deps.config))),
    }),
    route({
      method: 'GET',
      path: '/dev/mail/:id/html',
      atBase: true,
      admits: ['anyone'],
      summary: 'Get the HTML of a sent mail',
      params: Params,
      responses: { 200: null },
      errors: ['not_found'],
      produces: 'text/html',
      handler: async ({ deps, params, reply }) =>
        sendHtml(reply, { policy: MAIL_CONTENT_POLICY, html: renderMailContent(await findMail(deps, params.id)) }),
    }),
  ],
};
