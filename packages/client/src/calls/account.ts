import type { Call } from '../call.ts';
import type { PasskeyCredential } from '../passkey.ts';
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
  read: () => call<User>('GET', '/users/me'),
  update: (body: ProfileChange) => call<User>('PATCH', '/users/me', { body }),
  changePassword: (body: PasswordChangeRequest) => call<void>('POST', '/users/me/password', { body }),
  changeEmail: (body: EmailChangeRequest) => call<void>('POST', '/users/me/email', { body }),
  sendVerification: () => call<void>('POST', '/auth/email/send-verification'),
  uploadAvatar: (picture: Blob) => {
    const body = new FormData();
    body.append('avatar', picture);
    return call<AvatarResponse>('POST', '/users/me/avatar', { body });
  },
  removeAvatar: () => call<void>('DELETE', '/users/me/avatar'),
});

export const mfaCalls = (call: Call) => ({
  status: () => call<MfaStatus>('GET', '/auth/mfa/status'),
  setUp: () => call<MfaSetup>('POST', '/auth/mfa/setup'),
  enable: (code: string) => call<MfaEnabled>('POST', '/auth/mfa/enable', { body: { code }, turns: true }),
  /** Without a password: for an account that has none. */
  disable: (password?: string) => call<void>('POST', '/auth/mfa/disable', { body: { password } }),
  renewRecoveryCodes: (password?: string) =>
    call<RecoveryCodes>('POST', '/auth/mfa/recovery-codes', { body: { password } }),
  /** Step-up: what asks for a second factor is open for the next minutes. */
  verify: (body: MfaVerifyRequest) => call<MfaVerified>('POST', '/auth/mfa/verify', { body, turns: true }),
});

export const passkeyCalls = (call: Call) => ({
  list: () => call<PasskeyList>('GET', '/users/me/passkeys'),
  begin: () => call<PasskeyOptions>('POST', '/users/me/passkeys/register/begin'),
  complete: (credential: PasskeyCredential, name?: string) =>
    call<Passkey>('POST', '/users/me/passkeys/register/complete', { body: { credential, name } }),
  rename: (id: string, name: string) => call<Passkey>('PATCH', path`/users/me/passkeys/${id}`, { body: { name } }),
  remove: (id: string) => call<void>('DELETE', path`/users/me/passkeys/${id}`),
});

export const identityCalls = (call: Call) => ({
  list: () => call<IdentityList>('GET', '/users/me/identities'),
  /** Go to `authorization_url`; the way back ends at `redirect_to`. */
  link: (provider: OAuthProvider, redirect_to?: string) =>
    call<OAuthLinkStart>('POST', path`/auth/oauth/${provider}/link`, { body: { redirect_to } }),
  unlink: (id: string) => call<void>('DELETE', path`/users/me/identities/${id}`),
});
