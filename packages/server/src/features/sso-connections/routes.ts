import {
  NewSsoConnection,
  SsoConnection,
  SsoConnectionChange,
  SsoConnectionList,
  SsoTestStart,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { deleteOldConnections } from '../../domain/sso/queries.ts';
import { browserOf, rememberBrowser } from '../../http/flow-browser.ts';
import { freshAuth, permitted } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { activateConnection, deactivateConnection } from './activate.ts';
import { changeConnection } from './change.ts';
import { createConnection } from './create.ts';
import { listAllConnections, readConnection } from './list.ts';
import { removeConnection } from './remove.ts';
import { startTest } from './test.ts';

const PATH = '/orgs/:org_id/sso-connections';
const All = Type.Object({ org_id: Uuid });
const One = Type.Object({ org_id: Uuid, id: Uuid });
const READ = [permitted('sso.manage')];
const WRITE = [...READ, freshAuth];

export const ssoConnections: Feature = {
  name: 'Single sign-on connections',
  sweeps: [{ name: 'single sign-on connections', sweep: deleteOldConnections }],
  routes: [
    route({
      id: 'listSsoConnections',
      method: 'GET',
      path: PATH,
      admits: ['session', 'sso'],
      access: READ,
      summary: 'List the single sign-on connections of the organization',
      description: 'Oldest first.',
      params: All,
      responses: { 200: SsoConnectionList },
      handler: ({ deps, session }) => listAllConnections(deps, session.organization_id),
    }),
    route({
      id: 'createSsoConnection',
      method: 'POST',
      path: PATH,
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Create a single sign-on connection',
      description:
        'The connection is a draft: register its `callback_url` at the provider, test the connection, then activate it.',
      params: All,
      body: NewSsoConnection,
      responses: { 201: SsoConnection },
      errors: ['conflict'],
      handler: ({ deps, caller, body }) => createConnection(deps, caller, body),
    }),
    route({
      id: 'getSsoConnection',
      method: 'GET',
      path: `${PATH}/:id`,
      admits: ['session', 'sso'],
      access: READ,
      summary: 'Get a single sign-on connection',
      params: One,
      responses: { 200: SsoConnection },
      errors: ['not_found'],
      handler: ({ deps, session, params: { id } }) =>
        readConnection(deps, { id, organization_id: session.organization_id }),
    }),
    route({
      id: 'updateSsoConnection',
      method: 'PATCH',
      path: `${PATH}/:id`,
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Change a single sign-on connection',
      description:
        'Omitted fields are unchanged. A change of issuer, client or secret makes the connection a draft and ends its ' +
        'sessions. A change of the issuer clears the secret unless a new one is given.',
      params: One,
      body: SsoConnectionChange,
      responses: { 200: SsoConnection },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, params: { id }, body }) => changeConnection(deps, caller, { ...body, id }),
    }),
    route({
      id: 'deleteSsoConnection',
      method: 'DELETE',
      path: `${PATH}/:id`,
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Delete a single sign-on connection',
      description: 'Its sessions end, and accounts are no longer linked to it.',
      params: One,
      responses: { 204: null },
      errors: ['not_found', 'conflict'],
      async handler({ deps, caller, params: { id } }) {
        await removeConnection(deps, caller, id);
      },
    }),
    route({
      id: 'testSsoConnection',
      method: 'POST',
      path: `${PATH}/:id/test`,
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Test a single sign-on connection',
      description:
        'Open `authorization_url` in the same browser and sign in at the provider. The callback stores the result as `last_test` and ' +
        'opens no session. If the metadata of the provider cannot be read, the test has failed: 409.',
      params: One,
      responses: { 200: SsoTestStart },
      sends: ['Set-Cookie'],
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: async ({ deps, caller, params: { id }, request, reply }) => {
        const browser = browserOf(request, deps);
        const started = await startTest(deps, caller, id, browser);
        rememberBrowser(reply, deps, browser);
        return started;
      },
    }),
    route({
      id: 'activateSsoConnection',
      method: 'POST',
      path: `${PATH}/:id/activate`,
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Activate a single sign-on connection',
      description: 'Needs a passed test since the last change of issuer, client or secret.',
      params: One,
      responses: { 200: SsoConnection },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, params: { id } }) => activateConnection(deps, caller, id),
    }),
    route({
      id: 'deactivateSsoConnection',
      method: 'POST',
      path: `${PATH}/:id/deactivate`,
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Deactivate a single sign-on connection',
      description: 'Its sessions end. It can be activated again without a test.',
      params: One,
      responses: { 200: SsoConnection },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, params: { id } }) => deactivateConnection(deps, caller, id),
    }),
  ],
};
