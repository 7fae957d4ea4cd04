import { newEmail, PASSWORD, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { type Raw, sendRaw } from './raw-request-fixture.ts';
import { OWN } from './redirects-fixture.ts';

type Sent = (url: string, headers: Raw['headers']) => ReturnType<typeof sendRaw>;

const post = (url: string, path: string, body: object, headers: Raw['headers'] = []) =>
  sendRaw(url, {
    method: 'POST',
    path: `/v1${path}`,
    headers: [...headers, ['content-type', 'application/json']],
    body: JSON.stringify(body),
  });

let writer: Promise<TestUser> | undefined;
/** Somebody by whose requests mails go out. */
const aWriter = (url: string): Promise<TestUser> => {
  writer ??= registerUser(url);
  return writer;
};
const signed = async (url: string, headers: Raw['headers'] = []): Promise<Raw['headers']> => [
  ...headers,
  ['authorization', `Bearer ${(await aWriter(url)).access_token}`],
];

/** Every request that has a mail with a link sent. */
export const LETTERS: Readonly<Record<string, Sent>> = {
  'a registration': (url, headers) =>
    post(url, '/auth/register', { email: newEmail(), password: PASSWORD, organization_name: 'Example' }, headers),
  'a verification': async (url, headers) => post(url, '/auth/email/send-verification', {}, await signed(url, headers)),
  'a forgotten password': async (url, headers) =>
    post(url, '/auth/password/forgot', { email: (await aWriter(url)).email }, headers),
  'a change of email': async (url, headers) =>
    post(url, '/users/me/email', { email: newEmail(), password: PASSWORD }, await signed(url, headers)),
  'an invitation': async (url, headers) => {
    const { organization_id } = await aWriter(url);
    return post(
      url,
      `/orgs/${organization_id}/invitations`,
      { email: newEmail(), role: 'member' },
      await signed(url, headers),
    );
  },
  'an invitation, once more': async (url, headers) => {
    const path = `/orgs/${(await aWriter(url)).organization_id}/invitations`;
    const { text } = await post(url, path, { email: newEmail(), role: 'member' }, await signed(url));
    return post(url, `${path}/${JSON.parse(text).id}/resend`, {}, await signed(url, headers));
  },
  'an emailed code': async (url, headers) =>
    post(url, '/auth/email-otp/request', { email: (await aWriter(url)).email }, headers),
};

export const PASSWORD_NEEDED: ReadonlySet<string> = new Set(['a registration', 'a change of email']);

/** An address in a mail that is not ours, or a trace of what was said of it. */
export const strangersIn = (text: string): string | undefined =>
  [...text.matchAll(/[a-z]+:\/\/[^\s"'<>]+/gi)]
    .map(([link]) => link.replace(/[.,]$/, ''))
    .find((link) => !URL.canParse(link) || new URL(link).origin !== OWN) ??
  /evil|gopher|6666|6\.6\.6\.6/i.exec(text)?.[0];

/** Names of organizations in which a mail program would find a link. */
export const HOSTILE_NAMES: readonly string[] = [
  'Prize: https://evil.example/win',
  'evil.example',
  'WWW.EVIL.EXAMPLE/login?x=1',
  'security@evil.example',
  'mailto:security@evil.example',
  '//evil.example',
  'hthttps://tps://evil.example',
  'evil。example／login',
  '6.6.6.6:6666',
  'https：／／evil．example',
];

/** What a mail program would make of a name: a scheme, or letters on both sides of what joins an address. */
export function linksByName({ subject, text, html }: { subject: string; text: string; html: string }) {
  const shown = html.replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ');
  return [subject, text, shown]
    .map((part) => part.normalize('NFKC').replaceAll(/https?:\/\/localhost:\d+\S*|\S+@example\.com/g, ' '))
    .map((part) => /\S*(?:[a-z]+:\/\/|[\p{L}\p{N}][./@。][\p{L}\p{N}]|mailto:)\S*/iu.exec(part)?.[0])
    .find((link) => link !== undefined);
}
