import {
  Application,
  ApplicationChange,
  ApplicationList,
  ConnectedApplicationList,
  CreatedApplicationSecret,
  NewApplication,
  NewApplicationSecret,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import {
  deleteOldApplications,
  deleteOldSecrets,
  findApplication,
  listApplications,
} from '../../domain/applications/queries.ts';
import { deleteOldConsents } from '../../domain/oauth-server/consents/queries.ts';
import { deleteEndedGrants, deleteExpiredGrants, deleteUnusedCodes } from '../../domain/oauth-server/grants/queries.ts';
import { deleteDeadSigningKeys } from '../../domain/signing-keys/queries.ts';
import { platform, steppedUp } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { after } from '../../platform/clock.ts';
import { disconnectApplication, listConnectedApplications } from './connected.ts';
import { describeApplication, noSuchApplication } from './describe.ts';
import { createSecret, removeSecret } from './secrets.ts';
import { changeApplication, createApplication, removeApplication } from './write.ts';

const One = Type.Object({ id: Uuid });
const OneSecret = Type.Object({ id: Uuid, secret_id: Uuid });

const WRITE = [platform('admin'), steppedUp];

/** Seconds for which a retired signing key is kept after it stopped signing. */
const DEAD_KEYS_KEPT = 7 * 86_400;

export const applications: Feature = {
  name: 'Applications',
  sweeps: [
    { name: 'applications', sweep: deleteOldApplications },
    { name: 'application secrets', sweep: deleteOldSecrets },
    { name: 'consents', sweep: deleteOldConsents },
    { name: 'ended grants', sweep: deleteEndedGrants },
    { name: 'unused codes', sweep: deleteUnusedCodes },
    {
      name: 'expired grants',
      sweep: (db, now, limit, config) => deleteExpiredGrants(db, now, limit, config.SESSION_MAX_AGE),
    },
    {
      name: 'application keys',
      sweep: (db, now, limit) => deleteDeadSigningKeys(db, 'application_keys', after(now, -DEAD_KEYS_KEPT), limit),
    },
  ],
  routes: [
    route({
      id: 'listApplications',
      method: 'GET',
      path: '/admin/applications',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List the applications that sign users in with this service',
      responses: { 200: ApplicationList },
      handler: async ({ deps }) => {
        const rows = await listApplications(deps.db);
        return { items: rows.map((row) => describeApplication(row, deps.clock.now())) };
      },
    }),
    route({
      id: 'createApplication',
      method: 'POST',
      path: '/admin/applications',
      admits: ['session'],
      access: WRITE,
      summary: 'Create an application',
      description: 'The new application has no secret. Create one with `POST /admin/applications/:id/secrets`.',
      body: NewApplication,
      responses: { 201: Application },
      errors: ['conflict'],
      handler: ({ deps, caller, body }) => createApplication(deps, caller, body),
    }),
    route({
      id: 'getApplication',
      method: 'GET',
      path: '/admin/applications/:id',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'Get one application',
      params: One,
      responses: { 200: Application },
      errors: ['not_found'],
      handler: async ({ deps, params }) => {
        const row = await findApplication(deps.db, params.id);
        if (!row) throw noSuchApplication();
        return describeApplication(row, deps.clock.now());
      },
    }),
    route({
      id: 'changeApplication',
      method: 'PATCH',
      path: '/admin/applications/:id',
      admits: ['session'],
      access: WRITE,
      summary: 'Change an application',
      description:
        'Fields that are left out stay as they are. `enabled: false` revokes all its tokens permanently; they stay revoked if it is enabled again.',
      params: One,
      body: ApplicationChange,
      responses: { 200: Application },
      errors: ['not_found'],
      handler: ({ deps, caller, params, body }) => changeApplication(deps, caller, params.id, body),
    }),
    route({
      id: 'removeApplication',
      method: 'DELETE',
      path: '/admin/applications/:id',
      admits: ['session'],
      access: WRITE,
      summary: 'Delete an application',
      description: 'All its tokens are revoked at once.',
      params: One,
      responses: { 204: null },
      errors: ['not_found'],
      async handler({ deps, caller, params }) {
        await removeApplication(deps, caller, params.id);
      },
    }),
    route({
      id: 'createApplicationSecret',
      method: 'POST',
      path: '/admin/applications/:id/secrets',
      admits: ['session'],
      access: WRITE,
      summary: 'Create a secret of an application',
      description:
        'Only this response contains the secret. Only applications of kind `web` have secrets, at most three at a time.',
      params: One,
      body: NewApplicationSecret,
      responses: { 201: CreatedApplicationSecret },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, params, body }) => createSecret(deps, caller, params.id, body),
    }),
    route({
      id: 'removeApplicationSecret',
      method: 'DELETE',
      path: '/admin/applications/:id/secrets/:secret_id',
      admits: ['session'],
      access: WRITE,
      summary: 'Delete a secret of an application',
      params: OneSecret,
      responses: { 204: null },
      errors: ['not_found'],
      async handler({ deps, caller, params }) {
        const which = { application_id: params.id, secret_id: params.secret_id };
        await removeSecret(deps, caller, which);
      },
    }),
    route({
      id: 'listConnectedApplications',
      method: 'GET',
      path: '/users/me/applications',
      admits: ['session'],
      summary: 'List the applications that may act for you',
      responses: { 200: ConnectedApplicationList },
      handler: ({ deps, session }) => listConnectedApplications(deps, session),
    }),
    route({
      id: 'removeConnectedApplication',
      method: 'DELETE',
      path: '/users/me/applications/:id',
      admits: ['session'],
      summary: 'Withdraw your consent for an application',
      description: 'All tokens that it has for your account are revoked at once.',
      params: One,
      responses: { 204: null },
      errors: ['not_found'],
      async handler({ deps, caller, session, params }) {
        await disconnectApplication(deps, caller, session, params.id);
      },
    }),
  ],
};
