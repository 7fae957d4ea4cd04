import { createHmac } from 'node:crypto';
import { type Answer, bearerOf, DENIED, quote, type ReceivedRequest } from './messages.ts';
import type { ProviderState, Quirks } from './types.ts';

export const facebookQuirks: Quirks = {
  scopes: { required: ['email'], optional: ['public_profile'] },
  denial: { ...DENIED, error_code: '200', error_reason: 'user_denied' },
  subject: '10158462093847561',
  errorResponse: (_request, error, message) => errorResponse(message, error === 'invalid_client' ? 1 : 100),
  userinfo,
};

const errorResponse = (message: string, code: number): Answer => ({
  status: 400,
  body: { error: { message, type: 'OAuthException', code } },
});

function userinfo({ access_tokens, fake }: ProviderState, request: ReceivedRequest): Answer {
  const fail = (code: number, why: string): Answer => errorResponse(`${quote(request)}: ${why}`, code);
  const access_token = bearerOf(request);
  const grant = access_tokens.get(access_token);
  if (request.method !== 'GET') return fail(100, 'Unsupported post request');
  if (!grant) return fail(190, 'Invalid OAuth access token');
  const proof = createHmac('sha256', fake.settings.secret).update(access_token).digest('hex');
  if (request.query.appsecret_proof !== proof) return fail(100, 'Invalid appsecret_proof provided in the API argument');

  const { subject, name, email } = grant.person;
  const fields = (request.query.fields ?? 'id,name').split(',');
  const body = {
    ...(fields.includes('name') && name !== null && { name }),
    ...(fields.includes('email') && email !== null && { email }),
    id: subject,
  };
  return { status: 200, body };
}
