import type { LoginResponse, MfaRequired, OAuthResult } from '@gatehouse/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import type { SignedIn } from '../domain/sign-in/complete.ts';
import { asServiceError, Failed } from '../domain/upstream/failure.ts';
import { wantsJson } from './flow-browser.ts';
import { failurePage, mfaPage, secondFactorPage } from './redirect.ts';
import { sendSignedIn } from './sign-in.ts';

type Linked = Extract<OAuthResult, { status: 'linked' }>;

interface Ended {
  /** Where the browser goes after a success; see `safeRedirect`. */
  readonly redirect_to: string;
  readonly result: SignedIn | MfaRequired | Linked | Failed;
}

/** Responds with JSON if the client accepts it, otherwise with a redirect. */
export async function sendEnded(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
  { redirect_to, result }: Ended,
) {
  const asJson = wantsJson(request);
  if (result instanceof Failed) {
    if (asJson) throw asServiceError(result);
    return reply.redirect(failurePage(result.failure, redirect_to), 302);
  }
  const body = result.status === 'linked' ? result : await sendSignedIn(reply, deps, result);
  if (asJson) return body;
  return reply.redirect(pageAfter(body, redirect_to), 302);
}

function pageAfter(body: LoginResponse | Linked, redirect_to: string): string {
  if (body.status === 'mfa_required') return mfaPage(body.mfa_token, redirect_to);
  return body.status === 'success' && body.user.extensions.restricted ? secondFactorPage(redirect_to) : redirect_to;
}
