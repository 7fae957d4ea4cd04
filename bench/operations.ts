import { type Account, newRegistration, refreshCookie, register } from './accounts.ts';
import { type Contestant, requests } from './contestant.ts';
import { CONNECTIONS, PASSWORD } from './limits.ts';
import { request } from './load.ts';
import type { Service } from './service.ts';

/** The number of connections for operations that hash passwords: enough to fill the hash queue of the service. */
export const HASHERS = 32;

interface Named {
  readonly name: string;
  readonly service: Service;
}

/** GET /auth/session of one user. */
export async function bearerSession({ name, service }: Named): Promise<Contestant> {
  const [user] = await register(service, 1);
  const prepared = request('GET', '/v1/auth/session', { authorization: `Bearer ${user!.access_token}` });
  return requests({ name, pids: [service.pid], port: service.port, connections: CONNECTIONS, next: () => prepared });
}

export async function cookieSession({ name, service }: Named): Promise<Contestant> {
  const [user] = await register(service, 1);
  const prepared = request('GET', '/v1/auth/session', { cookie: `service_at=${user!.access_token}` });
  return requests({ name, pids: [service.pid], port: service.port, connections: CONNECTIONS, next: () => prepared });
}

/** POST /auth/login of many users in rotation. */
export function login({
  name,
  service,
  accounts,
}: Named & { accounts: readonly Pick<Account, 'email'>[] }): Contestant {
  const prepared = accounts.map(({ email }) =>
    request('POST', '/v1/auth/login', {}, JSON.stringify({ email, password: PASSWORD })),
  );
  let index = 0;
  const next = () => prepared[index++ % prepared.length]!;
  return requests({ name, pids: [service.pid], port: service.port, connections: HASHERS, next });
}

/** POST /auth/register, always with a new account. */
export const registration = ({ name, service }: Named): Contestant =>
  requests({
    name,
    pids: [service.pid],
    port: service.port,
    connections: HASHERS,
    next: () => request('POST', '/v1/auth/register', {}, newRegistration()),
  });

/** POST /auth/refresh: each connection has its own session, and each token comes from the previous response. */
export async function rotation({ name, service }: Named): Promise<Contestant> {
  const requestWith = (cookie: string) => request('POST', '/v1/auth/refresh', { cookie });
  const users = await register(service, CONNECTIONS);
  const lanes = users.map(({ refresh_cookie }) => requestWith(refresh_cookie));
  return requests({
    name,
    pids: [service.pid],
    port: service.port,
    connections: CONNECTIONS,
    next: (lane) => lanes[lane]!,
    read: (lane, { head }) => {
      lanes[lane] = requestWith(refreshCookie(head)!);
    },
  });
}
