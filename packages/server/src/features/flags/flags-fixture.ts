import { type Answer, bearer, createBrowser } from '../../../test/browser.ts';
import { insertSession, type TestApp } from '../../../test/harness.ts';
import { flagsChanged } from '../../domain/flags/states.ts';

export interface FlagAdmin {
  readonly user_id: string;
  readonly organization_id: string;
  readonly access_token: string;
  /** A string is sent as the raw body. */
  put(body: unknown): Promise<Answer>;
  list(organization_id?: string): Promise<Answer>;
  remove(flag_key: string, organization_id?: string): Promise<Answer>;
  /** GET /feature-flags: the resolved flags of the caller's organization. */
  flags(): Promise<Answer>;
}

type Level = 'viewer' | 'admin' | null;

const scoped = (path: string, organization_id?: string): string =>
  organization_id === undefined ? path : `${path}?organization_id=${encodeURIComponent(organization_id)}`;

export async function createFlagAdmin(app: TestApp, platform_role: Level = 'admin'): Promise<FlagAdmin> {
  const { user_id, organization_id, access_token } = await insertSession(app, { platform_role });
  const browser = createBrowser(app);
  const as = bearer(access_token);
  return {
    user_id,
    organization_id,
    access_token,
    put: (body) => browser.send('PUT', '/admin/feature-flags', { ...as, body }),
    list: (id) => browser.get(scoped('/admin/feature-flags', id), as),
    remove: (flag_key, id) => browser.delete(scoped(`/admin/feature-flags/${encodeURIComponent(flag_key)}`, id), as),
    flags: () => browser.get('/feature-flags', as),
  };
}

export const rowsIn = ({ deps }: TestApp) => deps.db.selectFrom('feature_flags').selectAll().execute();

export async function forgetFlags({ deps }: TestApp): Promise<void> {
  const rows = await deps.db.deleteFrom('feature_flags').returning('organization_id').execute();
  const scopes = new Set(rows.map(({ organization_id }) => organization_id));
  await deps.bus.deliver([...scopes].map(flagsChanged));
}
