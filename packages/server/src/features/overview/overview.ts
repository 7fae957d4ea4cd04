import type { Overview, OverviewQuery } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { countLiveSessions, countTotals, listSignInHours } from './queries.ts';
import { pointsOf, spanOf } from './sign-in-points.ts';

/** GET /admin/overview: counts that are fast however many rows there are. */
export async function findOverview({ db, clock }: Deps, { range = '24h' }: OverviewQuery): Promise<Overview> {
  const now = clock.now();
  const span = spanOf(range, now);
  const [{ users, organizations, ...mail }, sessions, hours] = await Promise.all([
    countTotals(db),
    countLiveSessions(db, now),
    listSignInHours(db, span),
  ]);
  return {
    users,
    organizations,
    active_sessions: sessions.count,
    active_sessions_estimated: sessions.estimated,
    mail,
    sign_ins: { step: span.step, points: pointsOf(span, hours) },
  };
}
