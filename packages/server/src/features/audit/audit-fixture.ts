import { type Answer, bearer, createBrowser } from '../../../test/browser.ts';
import { insertSession, type TestApp } from '../../../test/harness.ts';

export interface Reader {
  readonly user_id: string;
  readonly organization_id: string;
  readonly access_token: string;
  list(query?: Record<string, string | number>): Promise<Answer>;
  export(query?: Record<string, string>): Promise<Answer>;
}

type Role = 'viewer' | 'admin' | 'owner' | null;

export async function createReader(app: TestApp, platform_role: Role): Promise<Reader> {
  const session = await insertSession(app, { platform_role });
  const get = (path: string, query: object) =>
    createBrowser(app).get(
      `${path}?${new URLSearchParams(query as Record<string, string>)}`,
      bearer(session.access_token),
    );
  return {
    ...session,
    list: (query = {}) => get('/audit-logs', query),
    export: (query = {}) => get('/admin/audit-export', query),
  };
}

/** §2.3: the fields of an audit row, in order. */
export const FIELDS = [
  'id',
  'event_id',
  'timestamp',
  'organization_id',
  'actor_id',
  'actor_type',
  'action',
  'resource_type',
  'resource_id',
  'ip_address',
  'user_agent',
  'request_id',
  'metadata',
  'outcome',
];
