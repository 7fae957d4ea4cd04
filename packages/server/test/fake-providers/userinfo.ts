import { createHmac } from 'node:crypto';
import { type Answer, quote, type ReceivedRequest } from './messages.ts';
import type { Grant, ProviderState } from './types.ts';

/** GitHub: what the person shows the public, which nobody has verified. */
export const publicEmail = (subject: string): string => `public-${subject}@example.com`;

/** GitHub: verified, but not the address the person wants to be known by. */
export const secondaryEmail = (subject: string): string => `secondary-${subject}@example.com`;

const bearerOf = ({ headers }: ReceivedRequest): string =>
  /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

export function describePerson(state: ProviderState, request: ReceivedRequest): Answer {
  return state.fake.provider === 'oauth_b'
    ? describeToGithubApp(state, request)
    : describeToFacebookApp(state, request);
}

/** Who the token is for, or why GitHub does not say so. */
function githubGrant(state: ProviderState, request: ReceivedRequest): Grant | Answer {
  const refuse = (status: number, why: string): Answer => ({ status, body: { message: `${quote(request)}: ${why}` } });
  if (request.method !== 'GET') return refuse(404, 'Not Found');
  if (!request.headers['user-agent']) return refuse(403, 'make sure your request has a User-Agent header');
  return state.access_tokens.get(bearerOf(request)) ?? refuse(401, 'Bad credentials');
}

function describeToGithubApp(state: ProviderState, request: ReceivedRequest): Answer {
  const grant = githubGrant(state, request);
  if ('status' in grant) return grant;
  const { subject, name } = grant.person;
  const body = { login: `login-${subject}`, id: Number(subject), type: 'User', name, email: publicEmail(subject) };
  return { status: 200, body };
}

export function listEmails(state: ProviderState, request: ReceivedRequest): Answer {
  const grant = githubGrant(state, request);
  if ('status' in grant) return grant;
  const { subject, email, email_verified } = grant.person;
  if (email === null) return { status: 200, body: [] };
  // The primary comes last, to find out who takes the first.
  const body = [
    { email: secondaryEmail(subject), primary: false, verified: true, visibility: null },
    { email, primary: true, verified: email_verified, visibility: 'private' },
  ];
  return { status: 200, body };
}

function describeToFacebookApp({ access_tokens, fake }: ProviderState, request: ReceivedRequest): Answer {
  const refuse = (code: number, why: string): Answer => {
    const message = `${quote(request)}: ${why}`;
    return { status: 400, body: { error: { message, type: 'OAuthException', code } } };
  };
  const access_token = bearerOf(request);
  const grant = access_tokens.get(access_token);
  if (request.method !== 'GET') return refuse(100, 'Unsupported post request');
  if (!grant) return refuse(190, 'Invalid OAuth access token');
  const proof = createHmac('sha256', fake.settings.secret).update(access_token).digest('hex');
  if (request.query.appsecret_proof !== proof)
    return refuse(100, 'Invalid appsecret_proof provided in the API argument');

  const { subject, name, email } = grant.person;
  const fields = (request.query.fields ?? 'id,name').split(',');
  const body = {
    ...(fields.includes('name') && name !== null && { name }),
    ...(fields.includes('email') && email !== null && { email }),
    id: subject,
  };
  return { status: 200, body };
}
