import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { expect } from 'vitest';
import { insertSession, startTestApp } from '../../../test/harness.ts';
import { auditOf, findUser } from '../../../test/records.ts';
import { form } from './form-fixture.ts';

export type Session = Awaited<ReturnType<typeof insertSession>>;

export const URL_PATH = '/v1/users/me/avatar';
export const bearer = ({ access_token }: Session) => ({ authorization: `Bearer ${access_token}` });

interface Form {
  payload: Buffer | string;
  headers: Record<string, string>;
}

export async function startProbe() {
  const app = await startTestApp();
  const me = await insertSession(app);
  const post = ({ payload, headers }: Form, session = me) =>
    app.server.inject({ method: 'POST', url: URL_PATH, payload, headers: { ...headers, ...bearer(session) } });
  const upload = (content: Buffer | string, session = me) => post(form({ content }), session);
  const remove = (session = me) => app.server.inject({ method: 'DELETE', url: URL_PATH, headers: bearer(session) });
  const get = (url: string, headers = {}) => app.server.inject({ method: 'GET', url: new URL(url).pathname, headers });
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
    userOf: (id: string) => findUser(app, id),
    auditOf: (user_id: string) => auditOf(app, { resource_id: user_id }),
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

/** The default effort for GIF is twenty times slower. */
export const encode = (picture: Sharp, format: 'png' | 'jpeg' | 'webp' | 'gif'): Promise<Buffer> =>
  (format === 'gif' ? picture.gif({ effort: 1 }) : picture[format]()).toBuffer();
