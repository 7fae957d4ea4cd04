import { Uuid } from '@gatehouse/contract';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Deps } from '../../domain/context.ts';
import { mailFolderPath } from '../../domain/mail/transport.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { open } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { openMailFolder } from '../../platform/mail/folder.ts';
import { DEV_MAIL_POLICY, renderMail, renderMailList } from './page.ts';

const folderOf = ({ config, clock }: Deps) => openMailFolder({ path: mailFolderPath(config), clock });

const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header('content-security-policy', DEV_MAIL_POLICY)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);

/** Development only: the mails that were sent, to be read in a browser. */
export const devMail: Feature = {
  name: 'Development',
  routes: [
    route({
      method: 'GET',
      path: '/dev/mail',
      atBase: true,
      access: [open],
      summary: 'The sent mails, newest first',
      responses: { 200: null },
      produces: 'text/html',
      handler: async ({ deps, reply }) => sendPage(reply, renderMailList(await folderOf(deps).list())),
    }),
    route({
      method: 'GET',
      path: '/dev/mail/:id',
      atBase: true,
      access: [open],
      summary: 'One sent mail',
      params: Type.Object({ id: Uuid }),
      responses: { 200: null },
      errors: ['not_found'],
      produces: 'text/html',
      handler: async ({ deps, params, reply }) => {
        const mail = await folderOf(deps).find(params.id);
        if (!mail) throw new ServiceError('not_found', 'no such mail');
        return sendPage(reply, renderMail(mail));
      },
    }),
  ],
};
