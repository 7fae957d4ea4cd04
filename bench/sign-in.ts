import { generateKeyPairSync, sign } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { type Bench, requests, work } from './race.ts';
import { startService } from './service.ts';

const PASSWORD = 'correct horse battery staple';
let people = 0;

const json = { 'content-type': 'application/json' };
const newcomer = () =>
  JSON.stringify({ email: `bench-${++people}@example.com`, password: PASSWORD, organization_name: `Bench ${people}` });

const post = async (
  url: string,
  body: string | undefined,
  headers: Record<string, string> = json,
): Promise<Response> => {
  const answer = await fetch(url, { method: 'POST', headers, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer;
};

/** GET /auth/session against a bare Fastify route. */
export async function session(): Promise<Bench> {
  const { limit, service, close } = await startService();
  const answer = await post(`${service}/v1/auth/register`, newcomer());
  const { access_token } = (await answer.json()) as { access_token: string };
  const url = `${service}/v1/auth/session`;
  return {
    contestants: [
      requests('bare Fastify route', 64, { url: limit }),
      requests('GET /auth/session (Bearer)', 64, { url, headers: { authorization: `Bearer ${access_token}` } }),
      requests('GET /auth/session (cookie)', 64, { url, headers: { cookie: `service_at=${access_token}` } }),
    ],
    close,
  };
}

/** Registration and sign-in against the hash alone, two at a time as the service does it. */
export async function login(): Promise<Bench> {
  const { service, close } = await startService();
  const body = newcomer();
  await post(`${service}/v1/auth/register`, body);
  const settings = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
  return {
    contestants: [
      work('argon2id alone', 2, async () => void (await hash(PASSWORD, settings))),
      requests('POST /auth/login', 32, { url: `${service}/v1/auth/login`, method: 'POST', headers: json, body }),
      work(
        'POST /auth/register',
        32,
        async () => void (await post(`${service}/v1/auth/register`, newcomer())).arrayBuffer(),
      ),
    ],
    close,
  };
}

/** Durable rotation against one RS256 signature in one thread. */
export async function refresh(): Promise<Bench> {
  const { service, close } = await startService();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const text = Buffer.alloc(700, 'x');
  const cookies = await Promise.all(
    Array.from({ length: 64 }, async () => cookieOf(await post(`${service}/v1/auth/register`, newcomer()))),
  );
  return {
    contestants: [
      work('one RS256 signature', 1, async () => void sign('RSA-SHA256', text, privateKey)),
      work('POST /auth/refresh', 64, async (lane) => {
        const answer = await post(`${service}/v1/auth/refresh`, undefined, { cookie: cookies[lane]! });
        cookies[lane] = cookieOf(answer);
        await answer.arrayBuffer();
      }),
    ],
    close,
  };
}

const cookieOf = (answer: Response): string => /service_rt=[^;]+/.exec(answer.headers.getSetCookie().join())![0];
