/** Why a test or sign-in failed, each with the sentence for `last_test.detail`, by which pages find the cause. */
export const SSO_CAUSES = {
  not_public:
    'The issuer, or an address in its metadata, is on a private network. Use an address on the internet, or ask the operator of this service to allow private networks.',
  unreachable: "The provider can't be reached. Check the issuer URL and that the provider is running.",
  timeout: "The provider didn't respond within 5 seconds. Try again, or check that it is running.",
  certificate: "The provider's TLS certificate isn't valid. Install a certificate of a public certificate authority.",
  insecure: "The issuer, or an address in its metadata, doesn't begin with https://. Enable https at the provider.",
  redirected:
    "The provider responded with a redirect, which isn't followed. Enter the issuer exactly as the provider shows it.",
  too_large: "The provider's response is larger than 1 MB. Check the issuer URL.",
  metadata:
    "The provider's metadata can't be read. Check that the issuer URL followed by /.well-known/openid-configuration returns a JSON document.",
  endpoints:
    "The provider's metadata lacks an address for authorization, tokens or keys. The provider must support OpenID Connect with the authorization code flow.",
  issuer_mismatch:
    'The provider names another issuer. Enter the issuer exactly as in its metadata, including a slash at the end.',
  redirect_uri: "The provider doesn't know this redirect URI. Register {callback_url} there, exactly as it is.",
  client: "The provider doesn't accept the client ID or the client secret. Copy both from the provider again.",
  client_method:
    'The provider accepts neither client_secret_basic nor client_secret_post. Allow one of them for this client.',
  secret:
    "The stored client secret can't be decrypted. Enter it again, or ask the operator of this service to restore CONFIG_ENCRYPTION_KEY.",
  scope: "The provider doesn't allow the scopes openid, email and profile for this client. Allow them there.",
  denied: 'The sign-in was cancelled at the provider. Start the test again and allow it.',
  refused: "The provider refused the request. Check the client's settings there, and its log.",
  code: "The provider didn't accept its own authorization code. Check that its clock is right, and start the test again.",
  token: "The provider's token response can't be read. Check the provider's log.",
  algorithm:
    'The provider signs ID tokens with an algorithm that is not accepted. Choose RS256, PS256, ES256 or EdDSA for this client.',
  keys: "The provider's signing keys can't be read. Check the address jwks_uri in its metadata.",
  signature: "The ID token isn't signed by a key that the provider publishes. Check the keys of the provider.",
  nonce: 'The ID token belongs to another sign-in. Start the test again.',
  audience: 'The ID token was issued to another client. Check the client ID.',
  time: "The ID token has expired or isn't valid yet. Check the provider's clock.",
  subject: 'The ID token has no usable subject (claim sub). Check the claims that the provider sends.',
  userinfo: "The provider's user info can't be read, or is about another user. Check the provider's log.",
  email:
    'The provider sent no email address. Allow the scope email for this client, or add the claim email to the ID token.',
} as const;
export type SsoCause = keyof typeof SSO_CAUSES;

/** Returns the sentence for `last_test.detail`: what happened and what to do. */
export const ssoSentence = (sentence: string, callback_url: string): string =>
  sentence.replace('{callback_url}', callback_url);
