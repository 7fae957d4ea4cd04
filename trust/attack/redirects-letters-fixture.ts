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

let user: Promise<TestUser> | undefined;
/** Registers a user, once, whose requests send mails. */
const sharedUser = (url: string): Promise<TestUser> => {
  user ??= registerUser(url);
  return user;
};
const signed = async (url: string, headers: Raw['headers'] = []): Promise<Raw['headers']> => [
  ...headers,
  ['authorization', `Bearer ${(await sharedUser(url)).access_token}`],
];

export const MAILINGS: Readonly<Record<string, Sent>> = {
  'a registration': (url, headers) =>
    post(url, '/auth/register', { email: newEmail(), password: PASSWORD, organization_name: 'Example' }, headers),
  'a verification': async (url, headers) => post(url, '/auth/email/send-verification', {}, await signed(url, headers)),
  'a forgotten password': async (url, headers) =>
    post(url, '/auth/password/forgot', { email: (await sharedUser(url)).email }, headers),
  'a change of email': async (url, headers) =>
    post(url, '/users/me/email', { email: newEmail(), password: PASSWORD }, await signed(url, headers)),
  'an invitation': async (url, headers) => {
    const { organization_id } = await sharedUser(url);
    return post(
      url,
      `/orgs/${organization_id}/invitations`,
      { email: newEmail(), role: 'member' },
      await signed(url, headers),
    );
  },
  'an invitation, once more': async (url, headers) => {
    const path = `/orgs/${(await sharedUser(url)).organization_id}/invitations`;
    const { text } = await post(url, path, { email: newEmail(), role: 'member' }, await signed(url));
    return post(url, `${path}/${JSON.parse(text).id}/resend`, {}, await signed(url, headers));
  },
  'an emailed code': async (url, headers) =>
    post(url, '/auth/email-otp/request', { email: (await sharedUser(url)).email }, headers),
};

export const PASSWORD_NEEDED: ReadonlySet<string> = new Set(['a registration', 'a change of email']);

/** Returns a link to a foreign origin, or a trace of the hostile headers. */
export const foreignLinkIn = (text: string): string | undefined =>
  [...text.matchAll(/[a-z]+:\/\/[^\s"'<>]+/gi)]
    .map(([link]) => link.replace(/[.,]$/, ''))
    .find((link) => !URL.canParse(link) || new URL(link).origin !== OWN) ??
  /evil|gopher|6666|6\.6\.6\.6/i.exec(text)?.[0];

/** Names of organizations that a mail program would turn into a link. */
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

/** Returns text that a mail program would turn into a link: a scheme, or letters around a dot, slash or @. */
export function linksByName({ subject, text, html }: { subject: string; text: string; html: string }) {
  const shown = html.replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ');
  return [subject, text, shown]
    .map((part) => part.normalize('NFKC').replaceAll(/https?:\/\/localhost:\d+\S*|\S+@example\.com/g, ' '))
    .map((part) => /\S*(?:[a-z]+:\/\/|[\p{L}\p{N}][./@。][\p{L}\p{N}]|mailto:)\S*/iu.exec(part)?.[0])
    .find((link) => link !== undefined);
}
