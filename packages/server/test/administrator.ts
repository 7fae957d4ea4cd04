import { type Answer, bearer, createBrowser } from './browser.ts';
import { insertSession, type TestApp } from './harness.ts';

export type Administrator = Awaited<ReturnType<typeof insertSession>> & {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
};

/** Inserts a user with this platform role, or none, and a session. Sends requests with a Bearer token. */
export async function insertAdministrator(
  app: TestApp,
  platform_role: 'viewer' | 'admin' | 'owner' | null = 'admin',
  mfa_verified_at: Date | null = null,
): Promise<Administrator> {
  const user = await insertSession(app, { platform_role, mfa_verified_at });
  const browser = createBrowser(app);
  const send =
    (method: string) =>
    (path: string, body?: unknown): Promise<Answer> =>
      browser.send(method, path, { ...bearer(user.access_token), ...(body !== undefined && { body }) });
  return {
    ...user,
    get: send('GET'),
    post: send('POST'),
    patch: send('PATCH'),
    put: send('PUT'),
    delete: send('DELETE'),
  };
}
