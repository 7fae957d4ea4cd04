// better-auth with email and password on PostgreSQL, behind node:http with its own handler. Defaults: scrypt (N 16384,
// r 16) for passwords, in the threads of Node; sessions of 7 days in the database, renewed once a day; sign-up opens a
// session; no mails, no plugins, telemetry off. Set here, in its favor or because it is required: the secret, the
// address, a pool of 10 like our service, no rate limit, no logging. COOKIE_CACHE=1 lets a signed cookie stand for the
// session for five minutes, its own setting for speed: in that time the end of a session is not noticed.
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { toNodeHandler } from 'better-auth/node';
import pg from 'pg';

const port = Number(process.env.PORT);
const options = {
  baseURL: `http://127.0.0.1:${port}`,
  secret: 'a secret of the bench, 0123456789 abcdefghijklmnop',
  database: new pg.Pool({ max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  ...(process.env.COOKIE_CACHE === '1' && { session: { cookieCache: { enabled: true } } }),
};
const auth = betterAuth(options);

if (process.env.MIGRATE === '1') {
  const { getMigrations } = await import('better-auth/db/migration');
  await (await getMigrations(options)).runMigrations();
}

createServer(toNodeHandler(auth)).listen(port, '127.0.0.1', () => console.log(JSON.stringify({ port })));
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
