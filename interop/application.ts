import type { Application, NewApplication } from '../packages/contract/src/index.ts';
import { createAuthenticatorApp } from '../packages/server/test/second-factor.ts';
import { register, startWithOwner } from './account.ts';

const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'organization'];

/** Starts the service with an application (`secret` may be empty) and a user who owns an organization, without MFA. */
export async function startWithApplication(given: Omit<NewApplication, 'name'>) {
  const { url, client: owner } = await startWithOwner();
  const { secret: seed } = await owner.mfa.setUp();
  await owner.mfa.enable(createAuthenticatorApp(url, seed).code());
  const application: Application = await owner.applications.create({ name: 'Interop', scopes: SCOPES, ...given });
  const secret = given.kind === 'web' ? (await owner.applications.createSecret(application.id)).secret : '';
  return { ...(await register(url, 'ada@example.com')), url, issuer: `${url}/oauth`, application, secret };
}
