import type { Invitation } from '@gatehouse/contract';
import type { Updateable } from 'kysely';
import { type Browser, createBrowser, newEmail, PASSWORD, type TestUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import type { Invitations } from '../../platform/db/schema.ts';

type Role = Invitation['role'];

export const pathOf = ({ organization_id }: Pick<TestUser, 'organization_id'>, rest = '') =>
  `/orgs/${organization_id}/invitations${rest}`;

export const ask = (inviter: TestUser, body: unknown) => inviter.browser.post(pathOf(inviter), body);
export const resend = (actor: TestUser, id: string) => actor.browser.post(pathOf(actor, `/${id}/resend`));
export const revoke = (actor: TestUser, id: string) => actor.browser.delete(pathOf(actor, `/${id}`));
export const list = (actor: TestUser, query = '') => actor.browser.get(pathOf(actor, query));

export interface Invited extends Invitation {
  readonly token: string;
}

export async function invite(
  app: TestApp,
  inviter: TestUser,
  { email = newEmail('invited'), role = 'member' }: { email?: string; role?: Role } = {},
): Promise<Invited> {
  const { status, text, json } = await ask(inviter, { email, role });
  if (status !== 201) throw new Error(`the invitation was answered ${status}: ${text}`);
  return { ...json, token: await app.mailbox.takeToken(json.email, 'accept-invitation') };
}

export const preview = (app: TestApp, token: string) =>
  createBrowser(app).get(`/auth/invitations/preview?token=${encodeURIComponent(token)}`);

/** Accepts without a session, as a user without an account. */
export const acceptNew = (app: TestApp, token: string, body: object = {}, browser: Browser = createBrowser(app)) =>
  browser.post('/auth/invitations/accept', { token, password: PASSWORD, ...body });

export const acceptAs = ({ browser }: Pick<TestUser, 'browser'>, token: string, body: object = {}) =>
  browser.post('/auth/invitations/accept', { token, ...body });

export const findRow = ({ deps }: TestApp, id: string) =>
  deps.db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst();

export const setRow = ({ deps }: TestApp, id: string, changes: Updateable<Invitations>) =>
  deps.db.updateTable('invitations').set(changes).where('id', '=', id).execute();

export const eventsOf = (app: TestApp, { id }: { id: string }) => auditOf(app, { resource_id: id });

export const findUserBy = ({ deps }: TestApp, email: string) =>
  deps.db.selectFrom('users').selectAll().where('email', '=', email).execute();
