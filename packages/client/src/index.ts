export { type Calls, type Client, type ClientOptions, createClient } from './client.ts';
export { type CookieJar, type CookieJarOptions, createCookieJar } from './cookie-jar.ts';
export { type FailureCode, GatehouseError, isGatehouseError, isSignedOut } from './gatehouse-error.ts';
export {
  addPasskey,
  askForPasskey,
  createPasskey,
  type PasskeyAsk,
  signInWithPasskey,
  supportsPasskeyAutofill,
  supportsPasskeys,
} from './passkey.ts';
export type { PasskeyCredential } from './passkey-credential.ts';
export { withStepUp } from './step-up.ts';
export type * from './wire.ts';
