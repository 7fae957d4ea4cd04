export { type Calls, type Client, type ClientOptions, createClient } from './client.ts';
export { type CookieJar, type CookieJarOptions, createCookieJar } from './cookie-jar.ts';
export { type FailureCode, GatehouseError, isGatehouseError, isSignedOut } from './gatehouse-error.ts';
export {
  addPasskey,
  askForPasskey,
  createPasskey,
  type PasskeyAsk,
  type PasskeyCredential,
  signInWithPasskey,
  supportsPasskeyAutofill,
  supportsPasskeys,
} from './passkey.ts';
export { withStepUp } from './step-up.ts';
export type * from './wire.ts';
