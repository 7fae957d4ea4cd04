import type { Call } from '../call.ts';
import type { PasskeyCredential } from '../passkey.ts';
import type {
  EmailCodeVerifyRequest,
  EmailVerifyPreview,
  InvitationAccepted,
  InvitationAcceptRequest,
  InvitationPreview,
  LoginRequest,
  LoginResponse,
  LoginSuccess,
  MfaChallengeRequest,
  PasskeyOptions,
  PasswordResetRequest,
  RegisterRequest,
  SignInOptions,
} from '../wire.ts';

/** For people who are not signed in yet. */
export const signInCalls = (call: Call) => ({
  /** What this service lets people sign in by. */
  options: () => call<SignInOptions>('GET', '/auth/providers', { as: 'none' }),
  register: (body: RegisterRequest) => call<LoginSuccess>('POST', '/auth/register', { body, as: 'none', turns: true }),
  /** Switch on `status`: with a second factor there is only half a sign-in yet. */
  withPassword: (body: LoginRequest) => call<LoginResponse>('POST', '/auth/login', { body, as: 'none', turns: true }),
  challenge: (body: MfaChallengeRequest) =>
    call<LoginSuccess>('POST', '/auth/mfa/challenge', { body, as: 'none', turns: true }),
  requestEmailCode: (email: string) => call<void>('POST', '/auth/email-otp/request', { body: { email }, as: 'none' }),
  withEmailCode: (body: EmailCodeVerifyRequest) =>
    call<LoginResponse>('POST', '/auth/email-otp/verify', { body, as: 'none', turns: true }),
  /** What the browser asks a passkey; see {@link signInWithPasskey}, which does it all. */
  beginPasskey: (email?: string) =>
    call<PasskeyOptions>('POST', '/auth/passkey/login/begin', {
      body: email === undefined ? {} : { email },
      as: 'none',
    }),
  withPasskey: (credential: PasskeyCredential) =>
    call<LoginResponse>('POST', '/auth/passkey/login/complete', { body: { credential }, as: 'none', turns: true }),
  forgotPassword: (email: string) => call<void>('POST', '/auth/password/forgot', { body: { email }, as: 'none' }),
  resetPassword: (body: PasswordResetRequest) => call<void>('POST', '/auth/password/reset', { body, as: 'none' }),
  /** Whose address a mailed link would verify. It stays good. */
  previewVerification: (token: string) =>
    call<EmailVerifyPreview>('POST', '/auth/email/verify/preview', { body: { token }, as: 'none' }),
  verifyEmail: (token: string) => call<void>('POST', '/auth/email/verify', { body: { token }, as: 'none' }),
  previewInvitation: (token: string) =>
    call<InvitationPreview>('GET', '/auth/invitations/preview', { query: { token }, as: 'none' }),
  acceptInvitation: (body: InvitationAcceptRequest) =>
    call<LoginSuccess | InvitationAccepted>('POST', '/auth/invitations/accept', { body, as: 'optional', turns: true }),
});
