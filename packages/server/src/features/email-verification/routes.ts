import {
  EmailChangeRequest,
  EmailVerifyPreview,
  EmailVerifyPreviewRequest,
  EmailVerifyRequest,
} from '@gatehouse/contract';
import { isOwnerStrict } from '../../domain/authorization/initial-owner.ts';
import { requireAttemptsLeft } from '../../domain/limits/failed-attempts.ts';
import { carriedSession } from '../../http/admission.ts';
import { secondFactorGiven } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { trustHashOf } from '../../http/sign-in.ts';
import { requestEmailChange } from './change.ts';
import { preview } from './preview.ts';
import { sendAgain } from './send.ts';
import { verifyEmail } from './verify.ts';

export const emailVerification: Feature = {
  name: 'Email addresses',
  routes: [
    route({
      id: 'sendEmailVerification',
      method: 'POST',
      path: '/auth/email/send-verification',
      admits: ['session'],
      summary: 'Request a new link to verify your email',
      description: 'Nothing is sent if the email is already verified.',
      responses: { 204: null },
      handler: async ({ deps, caller, session }) => {
        await sendAgain(deps, caller, session);
      },
    }),
    route({
      id: 'previewEmailVerification',
      method: 'POST',
      path: '/auth/email/verify/preview',
      admits: ['anyone'],
      summary: 'Preview an email verification link',
      description:
        'The token is the credential. It is not consumed. Returns when and with which device the account was created, so that the owner of the mailbox can decide whether the account is theirs.',
      body: EmailVerifyPreviewRequest,
      responses: { 200: EmailVerifyPreview },
      errors: ['authentication_required'],
      handler: ({ deps, body }) => preview(deps, body.token),
    }),
    route({
      id: 'verifyEmail',
      method: 'POST',
      path: '/auth/email/verify',
      admits: ['anyone'],
      summary: 'Verify an email, or confirm a new one, with a mailed token',
      description:
        'With `disown`, the caller states that someone else registered the account: if the email is not verified yet, the password, passkeys, identities, second factor, sessions and all pending operations are removed.',
      body: EmailVerifyRequest,
      responses: { 204: null },
      errors: ['authentication_required', 'conflict', 'rate_limited'],
      handler: async ({ deps, caller, body, request }) => {
        const session = isOwnerStrict(deps.config) ? await carriedSession(request, deps, caller) : undefined;
        await verifyEmail(deps, caller, { ...body, session, trust_hash: trustHashOf(request) });
      },
      onInvalid: ({ deps, caller, request }) => requireAttemptsLeft(deps, caller, trustHashOf(request)),
    }),
    route({
      id: 'changeEmail',
      method: 'POST',
      path: '/users/me/email',
      admits: ['session'],
      access: [secondFactorGiven()],
      summary: 'Request a change of your email',
      description:
        'Sends a confirmation link to the new address and a notice to the old one. Nothing changes until the link is used. The response is the same if the address is already in use.',
      body: EmailChangeRequest,
      responses: { 204: null },
      errors: ['authentication_required', 'mfa_required', 'rate_limited'],
      handler: async ({ deps, caller, session, body }) => {
        await requestEmailChange(deps, caller, session, body);
      },
    }),
  ],
};
