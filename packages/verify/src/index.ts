export { admit, bearerToken } from './admit.ts';
export type { CurrentSession } from './current-session.ts';
export type { Needs } from './needs.ts';
export type { FeedState, VerifierOptions } from './options.ts';
export { type Refusal, refusalOf } from './refusal.ts';
export { requireAal, requireOrganization, requireRecentSignIn, requireVerifiedEmail } from './require.ts';
export type { Aal, Session } from './session.ts';
export { createVerifier, type Verifier } from './verifier.ts';
export { VerifyError, type VerifyErrorCode } from './verify-error.ts';
