import type { Call } from '../call.ts';
import type { PasskeyCredential } from '../passkey-credential.ts';
import { path } from '../path.ts';
import type {
  EmailCodeVerifyRequest,
  EmailVerifyPreview,
  Interaction,
  InteractionDecision,
  InteractionResult,
  InvitationAccepted,
  InvitationAcceptRequest,
  InvitationPreview,
  LoginRequest,
  LoginResponse,
  LoginSuccess,
  MfaChallengeRequest,
  PasskeyLoginRequest,
  PasskeyOptions,
  PasswordResetPreview,
  PasswordResetRequest,
  RegisterRequest,
  SignInOptions,
  SsoDiscovery,
} from '../wire.ts';

/** Calls for users who are not signed in yet. */
export const signInCalls = (call: Call) => ({
  /** Returns the sign-in methods that this service offers. */
  options: () => call<SignInOptions>('GET', '/auth/providers', { as: 'none' }),
  /** Registers an organization and its owner, and signs in. */
  register: (body: RegisterRequest) =>
    call<LoginSuccess>('POST', '/auth/register', { body, as: 'none', changesSession: true }),
  /** Signs in. Switch on `status`: `mfa_required` means that `challenge` has to complete the sign-in. */
  withPassword: (body: LoginRequest) =>
    call<LoginResponse>('POST', '/auth/login', { body, as: 'none', changesSession: true }),
  /** Completes a pending sign-in with a code from the app or a recovery code. Each `mfa_token` allows five attempts. */
  challenge: (body: MfaChallengeRequest) =>
    call<LoginSuccess>('POST', '/auth/mfa/challenge', { body, as: 'none', changesSession: true }),
  /** Mails a sign-in code and invalidates the previous one. Resolves whether or not the account exists. */
  requestEmailCode: (email: string) => call<void>('POST', '/auth/email-otp/request', { body: { email }, as: 'none' }),
  /** Signs in with the mailed code. Switch on `status`, as with a password. */
  withEmailCode: (body: EmailCodeVerifyRequest) =>
    call<LoginResponse>('POST', '/auth/email-otp/verify', { body, as: 'none', changesSession: true }),
  /** Returns the options to request a passkey in the browser. {@link signInWithPasskey} does all steps. */
  beginPasskey: (email?: string) =>
    call<PasskeyOptions>('POST', '/auth/passkey/login/begin', {
      body: email === undefined ? {} : { email },
      as: 'none',
    }),
  /** Signs in with the credential from the browser. A passkey counts as both factors. */
  withPasskey: (
    credential: PasskeyCredential,
    { organization_id }: Pick<PasskeyLoginRequest, 'organization_id'> = {},
  ) =>
    call<LoginResponse>('POST', '/auth/passkey/login/complete', {
      body: { credential, ...(organization_id !== undefined && { organization_id }) },
      as: 'none',
      changesSession: true,
    }),
  /**
   * Finds the single sign-on connection for an email address, by its domain. Navigate to `start_url` to sign in; with
   * `required`, no other method is accepted for members of that organization.
   */
  discoverSso: (email: string) => call<SsoDiscovery>('POST', '/auth/sso/discover', { body: { email }, as: 'none' }),
  /** Mails a password reset link. Resolves whether or not the account exists. */
  forgotPassword: (email: string) => call<void>('POST', '/auth/password/forgot', { body: { email }, as: 'none' }),
  /** Returns whose password a reset link sets. Fails with `authentication_required` if it is no longer valid. */
  previewReset: (token: string) =>
    call<PasswordResetPreview>('POST', '/auth/password/reset/preview', { body: { token }, as: 'none' }),
  /**
   * Sets a password with the token of the reset link. Revokes every session of the user and opens none. With `disown`,
   * a second factor that someone else added before the email was verified is removed too.
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
  /** Returns the organization, role, inviter and invited address of an invitation. The link stays valid. */
  previewInvitation: (token: string) =>
    call<InvitationPreview>('GET', '/auth/invitations/preview', { query: { token }, as: 'none' }),
  /**
   * Accepts an invitation. A new user passes a `password` and is signed in; a user with an account signs in first.
   * Switch on `status`.
   */
  acceptInvitation: (body: InvitationAcceptRequest) =>
    call<LoginSuccess | InvitationAccepted>('POST', '/auth/invitations/accept', {
      body,
      as: 'optional',
      changesSession: true,
    }),
});

export const interactionCalls = (call: Call) => ({
  /** Returns what an authorization request of an application needs from the user of this browser. */
  read: (id: string) => call<Interaction>('GET', path`/auth/oauth-interactions/${id}`),
  /** Decides once. Navigate to `redirect_to`: the application, or the page of the next step. */
  decide: (id: string, body: InteractionDecision) =>
    call<InteractionResult>('POST', path`/auth/oauth-interactions/${id}`, { body }),
});
