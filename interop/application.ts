import type { Application, NewApplication } from '../packages/contract/src/index.ts';
import { startWithOwner } from './account.ts';

const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'organization'];

/** Starts the service with one application. `secret` is empty for applications that have none. */
export async function startWithApplication(given: Omit<NewApplication, 'name'>) {
  const account = await startWithOwner();
  const { applications } = account.client;
  const application: Application = await applications.create({ name: 'Interop', scopes: SCOPES, ...given });
  const secret = given.kind === 'web' ? (await applications.createSecret(application.id)).secret : '';
  return { ...account, issuer: `${account.url}/oauth`, application, secret };
}
