import type { Db } from '../../packages/server/src/platform/db/connect.ts';

interface Registration {
  readonly user_id: string;
  readonly organization_id: string;
  readonly sid: string;
  readonly email: string;
}

interface Session {
  /** The last refresh token that was received. */
  jti?: string;
  /** Whether a refresh was sent but not answered, so that its token may be valid. */
  uncertain: boolean;
  end: 'open' | 'asked' | 'ended';
}

/** What the service has acknowledged and must not lose. */
export interface Promises {
  registered(registration: Registration): void;
  opened(sid: string): void;
  refreshing(sid: string): void;
  refreshed(sid: string, jti: string): void;
  ending(sid: string): void;
  ended(sid: string): void;
  /** Returns the next count for this flag, which the caller then writes. */
  flagging(key: string): number;
  flagged(key: string, count: number): void;
  readonly count: number;
  /** Returns the acknowledged changes that the database does not contain. */
  broken(db: Db): Promise<string[]>;
}

export function rememberPromises(): Promises {
  const users: Registration[] = [];
  const sessions = new Map<string, Session>();
  const flags = new Map<string, { asked: number; written: number }>();
  let count = 0;
  const open = (sid: string): void => void sessions.set(sid, { uncertain: false, end: 'open' });

  return {
    get count() {
      return count;
    },
    registered(registration) {
      count += 1;
      users.push(registration);
      open(registration.sid);
    },
    opened(sid) {
      count += 1;
      open(sid);
    },
    refreshing(sid) {
      sessions.get(sid)!.uncertain = true;
    },
    refreshed(sid, jti) {
      count += 1;
      Object.assign(sessions.get(sid)!, { jti, uncertain: false });
    },
    ending(sid) {
      sessions.get(sid)!.end = 'asked';
    },
    ended(sid) {
      count += 1;
      sessions.get(sid)!.end = 'ended';
    },
    flagging(key) {
      const flag = flags.get(key) ?? { asked: 0, written: 0 };
      flags.set(key, flag);
      flag.asked += 1;
      return flag.asked;
    },
    flagged(key, written) {
      count += 1;
      flags.get(key)!.written = written;
    },
    async broken(db) {
      return [...(await missingUsers(db, users)), ...(await lostSessions(db, sessions)), ...(await lostFlags(db))];
    },
  };

  async function lostFlags(db: Db): Promise<string[]> {
    const rows = await db.selectFrom('feature_flags').select(['flag_key', 'value']).execute();
    const stored = new Map(rows.map(({ flag_key, value }) => [flag_key, Number(value?.count ?? 0)]));
    return [...flags].flatMap(([key, { asked, written }]) => {
      const found = stored.get(key) ?? 0;
      return found >= written && found <= asked ? [] : [`flag ${key}: ${written} was acknowledged, ${found} is stored`];
    });
  }
}

async function missingUsers(db: Db, users: readonly Registration[]): Promise<string[]> {
  const rows = await db
    .selectFrom('users as u')
    .innerJoin('memberships as m', 'm.user_id', 'u.id')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['u.id', 'u.email', 'o.id as organization_id'])
    .where('m.role', '=', 'owner')
    .where('u.password_hash', 'is not', null)
    .execute();
  const stored = new Set(rows.map(({ id, email, organization_id }) => `${id} ${email} ${organization_id}`));
  return users.flatMap(({ user_id, email, organization_id }) =>
    stored.has(`${user_id} ${email} ${organization_id}`) ? [] : [`the registration of ${email} is lost`],
  );
}

async function lostSessions(db: Db, sessions: ReadonlyMap<string, Session>): Promise<string[]> {
  const rows = await db.selectFrom('sessions').select(['id', 'refresh_jti', 'revoked_at']).execute();
  const stored = new Map(rows.map((row) => [row.id, row]));
  return [...sessions].flatMap(([sid, { jti, uncertain, end }]) => {
    const row = stored.get(sid);
    if (!row) return [`session ${sid} is lost`];
    if (end === 'ended' && row.revoked_at === null) return [`session ${sid} was signed out, and is in force`];
    if (end === 'open' && row.revoked_at !== null) return [`session ${sid} was ended, but no request ended it`];
    if (jti !== undefined && !uncertain && row.refresh_jti !== jti) return [`the refresh of session ${sid} is lost`];
    return [];
  });
}
