import type { Call } from '../call.ts';
import type { PasskeyCredential } from '../passkey-credential.ts';
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
  PasskeyLoginRequest,
  PasskeyOptions,
  PasswordResetRequest,
  RegisterRequest,
  SignInOptions,
} from '../wire.ts';

/** For people who are not signed in yet. */
export const signInCalls = (call: Call) => ({
  /** What this service lets people sign in by. */
  options: () => call<SignInOptions>('GET', '/auth/providers', { as: 'none' }),
  /** Makes an organization and its owner, and signs in. */
  register: (body: RegisterRequest) => call<LoginSuccess>('POST', '/auth/register', { body, as: 'none', turns: true }),
  /** Signs in. Switch on `status`: with a second factor there is only half a sign-in yet. */
  withPassword: (body: LoginRequest) => call<LoginResponse>('POST', '/auth/login', { body, as: 'none', turns: true }),
  /** The other half: a code of the app, or a recovery code. Five attempts for each `mfa_token`. */
  challenge: (body: MfaChallengeRequest) =>
    call<LoginSuccess>('POST', '/auth/mfa/challenge', { body, as: 'none', turns: true }),
  /** Mails a code to sign in with; the one before is void. Resolves whether or not there is such an account. */
  requestEmailCode: (email: string) => call<void>('POST', '/auth/email-otp/request', { body: { email }, as: 'none' }),
  /** Signs in with the mailed code. Switch on `status`, as with a password. */
  withEmailCode: (body: EmailCodeVerifyRequest) =>
    call<LoginResponse>('POST', '/auth/email-otp/verify', { body, as: 'none', turns: true }),
  /** What the browser asks a passkey; see {@link signInWithPasskey}, which does it all. */
  beginPasskey: (email?: string) =>
    call<PasskeyOptions>('POST', '/auth/passkey/login/begin', {
      body: email === undefined ? {} : { email },
      as: 'none',
    }),
  /** Signs in with what the passkey has signed. It stands for both factors. */
  withPasskey: (
    credential: PasskeyCredential,
    { organization_id }: Pick<PasskeyLoginRequest, 'organization_id'> = {},
  ) =>
    call<LoginResponse>('POST', '/auth/passkey/login/complete', {
      body: { credential, ...(organization_id !== undefined && { organization_id }) },
      as: 'none',
      turns: true,
    }),
  /** Mails a link to choose a new password. Resolves whether or not there is such an account. */
  forgotPassword: (email: string) => call<void>('POST', '/auth/password/forgot', { body: { email }, as: 'none' }),
  /**
   * Sets a password with the token of that link. Ends every session of the user and opens none. With `disown`, a second
   * factor that someone else added before the email was verified is removed too.
   */
  resetPassword: (body: PasswordResetRequest) => call<void>('POST', '/auth/password/reset', { body, as: 'none' }),
  /**
   * Returns which address a mailed link would verify, and when and with which device its account was created. The link
   * stays valid.
   */
  previewVerification: (token: string) =>
    call<EmailVerifyPreview>('POST', '/auth/email/verify/preview', { body: { token }, as: 'none' }),
  /**
   * Verifies an address, or confirms a new one, with the token of a mailed link. Set `disown` if someone else
   * registered the account: every credential in it is removed.
   */
  verifyEmail: (token: string, options: { disown?: boolean } = {}) =>
    call<void>('POST', '/auth/email/verify', { body: { token, ...options }, as: 'optional' }),
  /** Who invites whom to what. The link stays good. */
  previewInvitation: (token: string) =>
    call<InvitationPreview>('GET', '/auth/invitations/preview', { query: { token }, as: 'none' }),
  /** Accepts an invitation. Somebody new gives a `password` and is signed in; who has an account signs in first. Switch on `status`. */
  acceptInvitation: (body: InvitationAcceptRequest) =>
    call<LoginSuccess | InvitationAccepted>('POST', '/auth/invitations/accept', { body, as: 'optional', turns: true }),
});
