import {
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  Uuid,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookList,
  WebhookWithSecret,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import type { Principal } from '../../domain/kernel/principal.ts';
import { countPending, deleteOldDeliveries, updateDeletedFailed } from '../../domain/webhooks/deliveries/queries.ts';
import { deleteOldWebhooks } from '../../domain/webhooks/queries.ts';
import { freshAuth, permitted, platform, steppedUp } from '../../http/guards.ts';
import { readPaging } from '../../http/page-query.ts';
import { type Feature, type Guard, type Route, route } from '../../http/route.ts';
import { changeWebhook } from './change.ts';
import { createWebhook } from './create.ts';
import { listAllWebhooks, listWebhookDeliveries, readWebhook } from './list.ts';
import { removeWebhook } from './remove.ts';
import { rotateSecret } from './rotate-secret.ts';
import { organizationScope, platformScope, type Scope } from './scope.ts';
import { retryDelivery, sendTestEvent } from './send.ts';

/** The same endpoints exist for the webhooks of an organization and for those of the platform. */
interface Place {
  readonly path: string;
  /** The owner of the webhooks, for the summaries of operations. */
  readonly owner: string;
  /** Part of the operation ids. */
  readonly noun: string;
  readonly params: Readonly<Record<string, typeof Uuid>>;
  readonly scope: (principal: Principal) => Scope;
  readonly read: Access;
  readonly write: Access;
  /** For the endpoints whose response contains a secret. */
  readonly writeSecret: Access;
}

interface Access {
  readonly admits: readonly ('session' | 'sso' | 'machine')[];
  readonly access: readonly Guard[];
}

const MANAGERS = [permitted('webhooks.manage'), permitted('audit.read')];
const BY_MACHINES_TOO: Access = { admits: ['session', 'sso', 'machine'], access: MANAGERS };
const BY_ADMINS: Access = { admits: ['session'], access: [platform('admin'), steppedUp] };

const OF_ORGANIZATION: Place = {
  path: '/orgs/:org_id/webhooks',
  owner: 'the organization',
  noun: 'Webhook',
  params: { org_id: Uuid },
  scope: organizationScope,
  read: BY_MACHINES_TOO,
  write: BY_MACHINES_TOO,
  writeSecret: { admits: ['session', 'sso'], access: [...MANAGERS, freshAuth] },
};

const OF_PLATFORM: Place = {
  path: '/admin/webhooks',
  owner: 'the platform',
  noun: 'PlatformWebhook',
  params: {},
  scope: platformScope,
  read: { admits: ['session'], access: [platform('admin')] },
  write: BY_ADMINS,
  writeSecret: BY_ADMINS,
};

const routesOf = ({ path, owner, noun, params, scope, read, write, writeSecret }: Place): Route[] => {
  const All = Type.Object(params);
  const One = Type.Object({ ...params, id: Uuid });
  const Delivery = Type.Object({ ...params, id: Uuid, delivery_id: Uuid });
  return [
    route({
      id: `list${noun}s`,
      method: 'GET',
      path,
      ...read,
      summary: `List the webhooks of ${owner}`,
      description: 'Oldest first.',
      params: All,
      responses: { 200: WebhookList },
      handler: ({ deps, principal }) => listAllWebhooks(deps, scope(principal)),
    }),
    route({
      id: `create${noun}`,
      method: 'POST',
      path,
      ...writeSecret,
      summary: `Create a webhook of ${owner}`,
      description:
        'It receives the events that are committed after its creation. Only this response contains the secret that signs deliveries.',
      params: All,
      body: NewWebhook,
      responses: { 201: WebhookWithSecret },
      errors: ['conflict'],
      handler: ({ deps, caller, principal, body }) => createWebhook(deps, caller, scope(principal), body),
    }),
    route({
      id: `get${noun}`,
      method: 'GET',
      path: `${path}/:id`,
      ...read,
      summary: `Get a webhook of ${owner}`,
      params: One,
      responses: { 200: Webhook },
      errors: ['not_found'],
      handler: ({ deps, principal, params: { id } }) => readWebhook(deps, scope(principal), id),
    }),
    route({
      id: `change${noun}`,
      method: 'PATCH',
      path: `${path}/:id`,
      ...write,
      summary: `Change a webhook of ${owner}`,
      description:
        'Fields that are left out stay as they are. While a webhook is disabled, no events are collected for it, and pending deliveries wait.',
      params: One,
      body: WebhookChange,
      responses: { 200: Webhook },
      errors: ['not_found'],
      handler: ({ deps, caller, principal, params: { id }, body }) =>
        changeWebhook(deps, caller, scope(principal), { ...body, id }),
    }),
    route({
      id: `remove${noun}`,
      method: 'DELETE',
      path: `${path}/:id`,
      ...write,
      summary: `Delete a webhook of ${owner}`,
      description: 'No further events are sent to it.',
      params: One,
      responses: { 204: null },
      errors: ['not_found'],
      async handler({ deps, caller, principal, params: { id } }) {
        await removeWebhook(deps, caller, scope(principal), id);
      },
    }),
    route({
      id: `rotate${noun}Secret`,
      method: 'POST',
      path: `${path}/:id/rotate-secret`,
      ...writeSecret,
      summary: `Replace the secret of a webhook of ${owner}`,
      description: 'For 24 hours, deliveries are also signed with the previous secret.',
      params: One,
      responses: { 200: WebhookWithSecret },
      errors: ['not_found'],
      handler: ({ deps, caller, principal, params: { id } }) => rotateSecret(deps, caller, scope(principal), id),
    }),
    route({
      id: `test${noun}`,
      method: 'POST',
      path: `${path}/:id/test`,
      ...write,
      summary: `Send a test event to a webhook of ${owner}`,
      description: 'Sends a `webhook.test` event, regardless of the patterns of the webhook. It is not an audit event.',
      params: One,
      responses: { 202: WebhookDelivery },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: ({ deps, caller, principal, params: { id } }) => sendTestEvent(deps, caller, scope(principal), id),
    }),
    route({
      id: `list${noun}Deliveries`,
      method: 'GET',
      path: `${path}/:id/deliveries`,
      ...read,
      summary: `List the deliveries of a webhook of ${owner}`,
      description: 'Those of the last 30 days, newest first.',
      params: One,
      query: DeliveryQuery,
      responses: { 200: DeliveryPage },
      errors: ['not_found'],
      handler: ({ deps, principal, params: { id }, query }) =>
        listWebhookDeliveries(deps, scope(principal), { id, status: query.status }, readPaging(query)),
    }),
    route({
      id: `retry${noun}Delivery`,
      method: 'POST',
      path: `${path}/:id/deliveries/:delivery_id/retry`,
      ...write,
      summary: `Send a delivery of a webhook of ${owner} again`,
      description: 'Sends the delivery now, even if it was already delivered, and restarts its retry schedule.',
      params: Delivery,
      responses: { 202: WebhookDelivery },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: async ({ deps, caller, principal, params }) => {
        const ids = { id: params.id, delivery_id: params.delivery_id };
        return retryDelivery(deps, caller, scope(principal), ids);
      },
    }),
  ];
};

export const webhooks: Feature = {
  name: 'Webhooks',
  sweeps: [
    { name: 'deliveries of deleted webhooks', sweep: (db, _now, limit) => updateDeletedFailed(db, limit) },
    { name: 'webhook deliveries', sweep: deleteOldDeliveries },
    { name: 'webhooks', sweep: deleteOldWebhooks },
  ],
  gauges({ metrics, db }) {
    metrics.gauges(
      {
        name: 'gatehouse_webhook_deliveries',
        help: 'Pending deliveries of webhooks',
        label: 'status',
        across: 'max',
      },
      () => countPending(db),
    );
  },
  routes: [...routesOf(OF_ORGANIZATION), ...routesOf(OF_PLATFORM)],
};
