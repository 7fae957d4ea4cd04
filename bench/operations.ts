import { type Contestant, requests } from './contestant.ts';
import { CONNECTIONS, PASSWORD } from './limits.ts';
import { request } from './load.ts';
import { type Account, newcomer, refreshCookie, register } from './people.ts';
import type { Service } from './service.ts';

/** For what hashes: the queue is full with fewer, too. */
export const HASHING = 32;

interface Named {
  readonly name: string;
  readonly service: Service;
}

/** GET /auth/session of one person, over and over. */
export async function bearerSession({ name, service, perSecond }: Named & { perSecond?: number }): Promise<Contestant> {
  const [user] = await register(service, 1);
  const asked = request('GET', '/v1/auth/session', { authorization: `Bearer ${user!.access_token}` });
  const { pid, port } = service;
  return requests({ name, pids: [pid], port, connections: CONNECTIONS, next: () => asked, perSecond });
}

export async function cookieSession({ name, service }: Named): Promise<Contestant> {
  const [user] = await register(service, 1);
  const asked = request('GET', '/v1/auth/session', { cookie: `service_at=${user!.access_token}` });
  return requests({ name, pids: [service.pid], port: service.port, connections: CONNECTIONS, next: () => asked });
}

/** POST /auth/login of many people in turn. */
export function login({
  name,
  service,
  accounts,
}: Named & { accounts: readonly Pick<Account, 'email'>[] }): Contestant {
  const asked = accounts.map(({ email }) =>
    request('POST', '/v1/auth/login', {}, JSON.stringify({ email, password: PASSWORD })),
  );
  let turn = 0;
  const next = () => asked[turn++ % asked.length]!;
  return requests({ name, pids: [service.pid], port: service.port, connections: HASHING, next });
}

/** POST /auth/register, always somebody new. */
export const registration = ({ name, service }: Named): Contestant =>
  requests({
    name,
    pids: [service.pid],
    port: service.port,
    connections: HASHING,
    next: () => request('POST', '/v1/auth/register', {}, newcomer()),
  });

/** POST /auth/refresh: each connection a session of its own, and each token from the answer before. */
export async function rotation({ name, service }: Named): Promise<Contestant> {
  const asked = (cookie: string) => request('POST', '/v1/auth/refresh', { cookie });
  const users = await register(service, CONNECTIONS);
  const lanes = users.map(({ refresh_cookie }) => asked(refresh_cookie));
  return requests({
    name,
    pids: [service.pid],
    port: service.port,
    connections: CONNECTIONS,
    next: (lane) => lanes[lane]!,
    read: (lane, { head }) => {
      lanes[lane] = asked(refreshCookie(head)!);
    },
  });
}
