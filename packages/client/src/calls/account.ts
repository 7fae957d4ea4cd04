import type { Call } from '../call.ts';
import type { PasskeyCredential } from '../passkey-credential.ts';
import { path } from '../path.ts';
import type {
  AccountDeletion,
  AccountExport,
  AvatarResponse,
  ConnectedApplicationList,
  EmailChangeRequest,
  IdentityList,
  MfaEnabled,
  MfaSetup,
  MfaStatus,
  MfaVerified,
  MfaVerifyRequest,
  OAuthLinkStart,
  OAuthProvider,
  Passkey,
  PasskeyList,
  PasskeyOptions,
  PasswordChangeRequest,
  ProfileChange,
  RecoveryCodes,
  User,
} from '../wire.ts';

export const accountCalls = (call: Call) => ({
  /** Returns the signed-in user with all memberships. */
  read: () => call<User>('GET', '/users/me'),
  /** Changes name or language. An omitted field stays as it is; null clears it. */
  update: (body: ProfileChange) => call<User>('PATCH', '/users/me', { body }),
  /**
   * Changes the password, or sets a first one. Revokes every other session and every trusted browser; this session
   * stays.
   */
  changePassword: (body: PasswordChangeRequest) => call<void>('POST', '/users/me/password', { body }),
  /**
   * Requests a change of the email. Nothing changes until the link mailed to the new address is opened. Resolves even
   * if the address is in use.
   */
  changeEmail: (body: EmailChangeRequest) => call<void>('POST', '/users/me/email', { body }),
  /** Mails a new verification link. Nothing is sent if the email is already verified. */
  sendVerification: () => call<void>('POST', '/auth/email/send-verification'),
  /** Replaces the avatar with a PNG, JPEG, WebP or GIF. */
  uploadAvatar: (picture: Blob) => {
    const body = new FormData();
    body.append('avatar', picture);
    return call<AvatarResponse>('POST', '/users/me/avatar', { body });
  },
  /** Removes the avatar. */
  removeAvatar: () => call<void>('DELETE', '/users/me/avatar'),
  /** Returns all data about the signed-in user, for a download. Requires a recent sign-in or second factor. */
  exportData: () => call<AccountExport>('POST', '/users/me/export'),
  /**
   * Deletes the account permanently and signs out. Omit the password only if the account has none. Fails with
   * `conflict` for the last owner of an organization with other members. Requires a recent sign-in or second factor.
   */
  remove: (body: AccountDeletion = {}) => call<void>('DELETE', '/users/me', { body, ends: true }),
});

export const mfaCalls = (call: Call) => ({
  /** Returns whether MFA is on, and how many recovery codes are left. */
  status: () => call<MfaStatus>('GET', '/auth/mfa/status'),
  /**
   * Returns the secret and QR code for an authenticator app. MFA stays off until `enable` is called with a code from
   * that app.
   */
  setUp: () => call<MfaSetup>('POST', '/auth/mfa/setup'),
  /** Turns MFA on with the first code from the app. Only this response contains the recovery codes. */
  enable: (code: string) => call<MfaEnabled>('POST', '/auth/mfa/enable', { body: { code }, changesSession: true }),
  /** Turns MFA off; removes recovery codes and trusted browsers. Omit the password only if the account has none. */
  disable: (password?: string) => call<void>('POST', '/auth/mfa/disable', { body: { password } }),
  /** Replaces the recovery codes. Omit the password only if the account has none. */
  renewRecoveryCodes: (password?: string) =>
    call<RecoveryCodes>('POST', '/auth/mfa/recovery-codes', { body: { password } }),
  /** Step-up: verifies the second factor, so that calls that require a recent one succeed. */
  verify: (body: MfaVerifyRequest) => call<MfaVerified>('POST', '/auth/mfa/verify', { body, changesSession: true }),
});

export const passkeyCalls = (call: Call) => ({
  /** Returns the passkeys of the signed-in user. */
  list: () => call<PasskeyList>('GET', '/users/me/passkeys'),
  /** Returns the options to create a passkey in the browser. {@link addPasskey} does all steps. */
  begin: () => call<PasskeyOptions>('POST', '/users/me/passkeys/register/begin'),
  /** Stores the passkey that the browser has created. */
  complete: (credential: PasskeyCredential, name?: string) =>
    call<Passkey>('POST', '/users/me/passkeys/register/complete', { body: { credential, name } }),
  /** Renames a passkey. */
  rename: (id: string, name: string) => call<Passkey>('PATCH', path`/users/me/passkeys/${id}`, { body: { name } }),
  /**
   * Removes a passkey. Sessions that were opened with it stay active. Fails with `conflict` if the account would have
   * no credential left.
   */
  remove: (id: string) => call<void>('DELETE', path`/users/me/passkeys/${id}`),
});

export const identityCalls = (call: Call) => ({
  /** Returns the linked third-party accounts. */
  list: () => call<IdentityList>('GET', '/users/me/identities'),
  /** Starts linking an account: navigate to `authorization_url`; the provider returns the user to `redirect_to`. */
  link: (provider: OAuthProvider, redirect_to?: string) =>
    call<OAuthLinkStart>('POST', path`/auth/oauth/${provider}/link`, { body: { redirect_to } }),
  /** Unlinks an account. Fails with `conflict` if the user would have no credential left. */
  unlink: (id: string) => call<void>('DELETE', path`/users/me/identities/${id}`),
});

export const connectedApplicationCalls = (call: Call) => ({
  /** Returns the applications that may act for the signed-in user, sorted by name. */
  list: () => call<ConnectedApplicationList>('GET', '/users/me/applications'),
  /** Withdraws the consent for an application and revokes all its tokens for this user at once. */
  remove: (id: string) => call<void>('DELETE', path`/users/me/applications/${id}`),
});
