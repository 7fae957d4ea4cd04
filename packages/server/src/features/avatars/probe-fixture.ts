import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { expect } from 'vitest';
import { insertSession, startTestApp } from '../../../test/harness.ts';
import { form } from './form-fixture.ts';
import { avatars } from './routes.ts';

export type Session = Awaited<ReturnType<typeof insertSession>>;

export const URL_PATH = '/v1/users/me/avatar';
export const bearer = ({ access_token }: Session) => ({ authorization: `Bearer ${access_token}` });

interface Form {
  payload: Buffer | string;
  headers: Record<string, string>;
}

/** A machine that is busy with other tests may shed a request. */
export async function patiently<T extends { statusCode: number }>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const answer = await ask();
    if (answer.statusCode !== 429 || tries === 40) return answer;
    await sleep(100);
  }
}

/** The feature by itself, a person who is signed in, and what tests ask of it. */
export async function startProbe() {
  const app = await startTestApp({ features: [avatars] });
  const me = await insertSession(app);
  const post = ({ payload, headers }: Form, session = me) =>
    patiently(() =>
      app.server.inject({ method: 'POST', url: URL_PATH, payload, headers: { ...headers, ...bearer(session) } }),
    );
  const upload = (content: Buffer | string, session = me) => post(form({ content }), session);
  const remove = (session = me) =>
    patiently(() => app.server.inject({ method: 'DELETE', url: URL_PATH, headers: bearer(session) }));
  const get = (url: string, headers = {}) =>
    patiently(() => app.server.inject({ method: 'GET', url: new URL(url).pathname, headers }));
  /** Uploads and fetches what became of it. */
  const drawn = async (content: Buffer, session = me): Promise<Buffer> => {
    const answer = await upload(content, session);
    expect(answer.statusCode, answer.body).toBe(200);
    return (await get(answer.json().avatar_url)).rawPayload;
  };
  const { db } = app.deps;
  return {
    app,
    me,
    post,
    upload,
    remove,
    get,
    drawn,
    rowsOf: (user_id: string) => db.selectFrom('avatars').selectAll().where('user_id', '=', user_id).execute(),
    userOf: (id: string) => db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    auditOf: (user_id: string) =>
      db.selectFrom('audit_events').selectAll().where('resource_id', '=', user_id).execute(),
  };
}

export type Probe = Awaited<ReturnType<typeof startProbe>>;

interface Answer {
  statusCode: number;
  body: string;
  json(): { error: { message: string } };
}

export async function expectRefusal(answer: Promise<Answer>, message: RegExp): Promise<void> {
  const { statusCode, body, json } = await answer;
  expect(statusCode, body).toBe(400);
  expect(json().error).toMatchObject({ code: 'invalid_input', type: 'validation_error' });
  expect(json().error.message).toMatch(message);
}

export const plain = (width: number, height: number, background = '#3a7bd5') =>
  sharp({ create: { width, height, channels: 3, background } });

export const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
