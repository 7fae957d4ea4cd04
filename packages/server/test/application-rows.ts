import { v7 as uuid } from 'uuid';
import type { Db } from '../src/platform/db/connect.ts';

interface Owner {
  readonly user_id: string;
  readonly organization_id: string;
  readonly session_id: string;
}

/** Inserts an application with a secret, a consent, a grant and an interaction; with `ended`, all of them ended. */
export async function insertApplicationRows(
  db: Db,
  { user_id, organization_id, session_id }: Owner,
  { now, expires_at, ended = false }: { now: Date; expires_at: Date; ended?: boolean },
): Promise<{ application_id: string; secret_id: string; interaction_id: string }> {
  const [application_id, interaction_id] = [uuid(), uuid()];
  const end = ended ? now : null;
  await db
    .insertInto('applications')
    .values({
      id: application_id,
      client_id: `app_${application_id}`,
      name: 'A "wiki"',
      kind: 'web',
      redirect_uris: ['https://wiki.example.com/callback'],
      post_logout_redirect_uris: [],
      backchannel_logout_uri: null,
      scopes: ['openid'],
      resources: [],
      trusted: false,
      device_flow: false,
      organization_id: null,
      enabled: !ended,
      created_at: now,
      deleted_at: end,
    })
    .execute();
  const secret = { id: uuid(), application_id, hash: Buffer.of(0, 255, 92), created_at: now, expires_at: null };
  await db
    .insertInto('application_secrets')
    .values({ ...secret, revoked_at: end })
    .execute();
  await db
    .insertInto('application_consents')
    .values({ user_id, application_id, scopes: ['openid'], issued_scopes: [], granted_at: now, revoked_at: end })
    .execute();
  await db
    .insertInto('application_grants')
    .values({
      id: uuid({ msecs: now.getTime() }),
      application_id,
      user_id,
      organization_id,
      session_id,
      scopes: ['openid'],
      resource: null,
      offline: true,
      first_factor: null,
      aal: 'aal1',
      auth_time: now,
      nonce: null,
      redirect_uri: null,
      code_challenge: null,
      code_hash: Buffer.from(application_id),
      code_expires_at: now,
      code_used_at: now,
      created_at: now,
      expires_at,
      ended_at: null,
    })
    .execute();
  await db
    .insertInto('interactions')
    .values({
      id: interaction_id,
      kind: 'consent',
      browser_hash: Buffer.of(0),
      application_id,
      user_id,
      request: '{}',
      requested_from: null,
      requested_at: now,
      expires_at,
      decided_at: end,
    })
    .execute();
  return { application_id, secret_id: secret.id, interaction_id };
}
