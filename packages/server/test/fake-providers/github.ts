import { type Answer, bearerOf, DENIED, quote, type ReceivedRequest } from './messages.ts';
import type { Grant, ProviderState, Quirks, TokenError } from './types.ts';

/** The public email in the profile, which is not verified. */
export const publicEmail = (subject: string): string => `public-${subject}@example.com`;

/** A verified email that is not the primary one. */
export const secondaryEmail = (subject: string): string => `secondary-${subject}@example.com`;

const ERRORS: Partial<Record<TokenError, string>> = {
  invalid_client: 'incorrect_client_credentials',
  invalid_grant: 'bad_verification_code',
};

export const githubQuirks: Quirks = {
  scopes: { required: ['user:email'], optional: ['read:user'] },
  denial: DENIED,
  isSubject: (subject) => /^\d+$/.test(subject),
  errorResponse: (request, error, error_description) =>
    encodeResponse(request, { error: ERRORS[error] ?? error, error_description }),
  tokens: (request, access_token, { scope }) =>
    encodeResponse(request, { access_token, scope: scope.split(/[ ,]/).join(','), token_type: 'bearer' }),
  userinfo,
  listEmails,
};

/** GitHub responds form-encoded unless the client accepts JSON. */
function encodeResponse({ headers }: ReceivedRequest, body: Record<string, string>): Answer {
  if (headers.accept?.includes('application/json')) return { status: 200, body };
  const formType = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  return { status: 200, headers: formType, body: new URLSearchParams(body).toString() };
}

function grantOf(state: ProviderState, request: ReceivedRequest): Grant | Answer {
  const fail = (status: number, why: string): Answer => ({ status, body: { message: `${quote(request)}: ${why}` } });
  if (request.method !== 'GET') return fail(404, 'Not Found');
  if (!request.headers['user-agent']) return fail(403, 'make sure your request has a User-Agent header');
  return state.access_tokens.get(bearerOf(request)) ?? fail(401, 'Bad credentials');
}

function userinfo(state: ProviderState, request: ReceivedRequest): Answer {
  const grant = grantOf(state, request);
  if ('status' in grant) return grant;
  const { subject, name } = grant.person;
  const body = { login: `login-${subject}`, id: Number(subject), type: 'User', name, email: publicEmail(subject) };
  return { status: 200, body };
}

function listEmails(state: ProviderState, request: ReceivedRequest): Answer {
  const grant = grantOf(state, request);
  if ('status' in grant) return grant;
  const { subject, email, email_verified } = grant.person;
  if (email === null) return { status: 200, body: [] };
  // The primary email comes last, to detect clients that take the first one.
  const body = [
    { email: secondaryEmail(subject), primary: false, verified: true, visibility: null },
    { email, primary: true, verified: email_verified, visibility: 'private' },
  ];
  return { status: 200, body };
}
