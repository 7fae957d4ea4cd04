import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

export const SESSIONS = { queryKey: ['sessions'], queryFn: () => client.session.list() };

export const reloadSessions = (): Promise<void> => queries.invalidateQueries({ queryKey: SESSIONS.queryKey });
