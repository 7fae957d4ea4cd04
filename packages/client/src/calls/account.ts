import type { Call } from '../call.ts';
import type { PasskeyCredential } from '../passkey-credential.ts';
import { path } from '../path.ts';
import type {
  AvatarResponse,
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
  /** Who is signed in: their record, with all organizations they belong to. */
  read: () => call<User>('GET', '/users/me'),
  /** Changes name or language. A field that is left out stays; null clears it. */
  update: (body: ProfileChange) => call<User>('PATCH', '/users/me', { body }),
  /** Changes the password, or sets a first one. Every other session ends, and trusted browsers are forgotten; this session goes on. */
  changePassword: (body: PasswordChangeRequest) => call<void>('POST', '/users/me/password', { body }),
  /** Asks for another address. Nothing changes until the link mailed there is opened; an address in use is answered alike. */
  changeEmail: (body: EmailChangeRequest) => call<void>('POST', '/users/me/email', { body }),
  /** Mails a new link to verify the address. Nothing is sent when it is verified already. */
  sendVerification: () => call<void>('POST', '/auth/email/send-verification'),
  /** Takes a PNG, JPEG, WebP or GIF in place of the picture there is. */
  uploadAvatar: (picture: Blob) => {
    const body = new FormData();
    body.append('avatar', picture);
    return call<AvatarResponse>('POST', '/users/me/avatar', { body });
  },
  /** Removes the picture. */
  removeAvatar: () => call<void>('DELETE', '/users/me/avatar'),
});

export const mfaCalls = (call: Call) => ({
  /** Whether a second factor is on, and how many recovery codes are left. */
  status: () => call<MfaStatus>('GET', '/auth/mfa/status'),
  /** Begins with an authenticator app: its secret, and a QR code to scan. Nothing is on before `enable` has seen a code of it. */
  setUp: () => call<MfaSetup>('POST', '/auth/mfa/setup'),
  /** Turns the second factor on with the first code of the app. The recovery codes are in this answer and in no other. */
  enable: (code: string) => call<MfaEnabled>('POST', '/auth/mfa/enable', { body: { code }, turns: true }),
  /** Turns the second factor off; recovery codes and trusted browsers go with it. Without a password: for an account that has none. */
  disable: (password?: string) => call<void>('POST', '/auth/mfa/disable', { body: { password } }),
  /** Makes new recovery codes; the old ones are void. Without a password: for an account that has none. */
  renewRecoveryCodes: (password?: string) =>
    call<RecoveryCodes>('POST', '/auth/mfa/recovery-codes', { body: { password } }),
  /** Step-up: what asks for a second factor is open for the next minutes. */
  verify: (body: MfaVerifyRequest) => call<MfaVerified>('POST', '/auth/mfa/verify', { body, turns: true }),
});

export const passkeyCalls = (call: Call) => ({
  /** The passkeys of who is signed in. */
  list: () => call<PasskeyList>('GET', '/users/me/passkeys'),
  /** What the browser asks the authenticator for a new passkey; see {@link addPasskey}, which does it all. */
  begin: () => call<PasskeyOptions>('POST', '/users/me/passkeys/register/begin'),
  /** Keeps the passkey that the browser has made. */
  complete: (credential: PasskeyCredential, name?: string) =>
    call<Passkey>('POST', '/users/me/passkeys/register/complete', { body: { credential, name } }),
  /** Gives a passkey another name. */
  rename: (id: string, name: string) => call<Passkey>('PATCH', path`/users/me/passkeys/${id}`, { body: { name } }),
  /** Removes a passkey. Sessions it has opened go on. */
  remove: (id: string) => call<void>('DELETE', path`/users/me/passkeys/${id}`),
});

export const identityCalls = (call: Call) => ({
  /** The third-party accounts that one can sign in by. */
  list: () => call<IdentityList>('GET', '/users/me/identities'),
  /** Begins to link a further one: go to `authorization_url`; the way back ends at `redirect_to`. */
  link: (provider: OAuthProvider, redirect_to?: string) =>
    call<OAuthLinkStart>('POST', path`/auth/oauth/${provider}/link`, { body: { redirect_to } }),
  /** Unlinks one. The last way in stays: `conflict`. */
  unlink: (id: string) => call<void>('DELETE', path`/users/me/identities/${id}`),
});
