/** What the documents say does not exist, and how a test notices that it exists by now. */
interface Absence {
  /** Matches every statement about it. */
  readonly statement: RegExp;
  /** Matches no name of the service: words of paths, fields, values, settings, columns, commands and dependencies. */
  readonly name: RegExp;
  /** A name that the service would have if this existed. */
  readonly example: string;
}

const absence = (statement: RegExp, name: RegExp, example: string): Absence => ({ statement, name, example });

export const ABSENCES: readonly Absence[] = [
  // Protocols and directories.
  absence(/\bSAML\b/, /\bsaml\b/, 'POST /v1/auth/saml/acs'),
  absence(/\bSCIM\b/, /\bscim\b/, 'GET /scim/v2/Users'),
  absence(/\bLDAP\b|Active Directory|Kerberos/, /\b(ldap|kerberos|active directory)\b/, 'LDAP_URL'),

  // The provider for other software.
  absence(/device flow/, /\bdevice (code|authorization)\b/, 'device_authorization_endpoint'),
  absence(
    /\blogout\b.*\bapplications?\b|\bapplications?\b.*\blogout\b/,
    /(front|back) ?channel logout supported true/,
    'backchannel_logout_supported true',
  ),
  absence(/registration of clients|client registration/, /\bregistration endpoint\b/, 'registration_endpoint'),
  absence(/implicit|hybrid flow/, /\bresponse types supported (?!code$)/, 'response_types_supported id_token'),
  absence(/password grant/, /\bgrant types supported password\b/, 'grant_types_supported password'),
  absence(
    /`client_credentials` of/,
    /\bgrant types supported client credentials\b/,
    'grant_types_supported client_credentials',
  ),
  absence(/PKCE|`plain`/, /\bcode challenge methods supported plain\b/, 'code_challenge_methods_supported plain'),
  absence(
    /private_key_jwt|mutual TLS/,
    /\bendpoint auth methods supported (private key jwt|tls|self signed)/,
    'token_endpoint_auth_methods_supported private_key_jwt',
  ),
  absence(
    /other algorithms/,
    /\b(signing|encryption) alg values supported (?!rs256$)/,
    'id_token_signing_alg_values_supported ES256',
  ),
  absence(/encrypted tokens/, /\btoken encryption\b/, 'id_token_encryption_alg_values_supported RSA-OAEP'),
  absence(/form_post|`fragment`/, /\bresponse modes supported (?!query$)/, 'response_modes_supported form_post'),
  absence(/request objects/, /\brequest (uri )?parameter supported true\b/, 'request_parameter_supported true'),
  absence(/pushed requests/, /\bpushed authorization\b/, 'pushed_authorization_request_endpoint'),
  absence(/DPoP/, /\bdpop\b/, 'dpop_signing_alg_values_supported ES256'),

  // Ways to sign in.
  absence(/\bSMS\b|phone sign-in|telephone/, /\b(sms|phone|msisdn)\b/, 'POST /v1/auth/sms/request'),
  absence(/sign-in links/, /\b(magic|sign in|login) links?\b/, 'POST /v1/auth/magic-link'),
  absence(/push|security questions/, /\bpush (factor|challenge)|\bsecurity questions?\b/, 'security_question'),
  absence(/user names/, /\b(username|login name)\b/, 'username'),
  absence(/anonymous users/, /\banonymous (users?|sessions?|sign in)\b/, 'POST /v1/auth/anonymous-sign-in'),

  // Authorization and protection.
  absence(
    /relations between objects|policies as code/i,
    /\b(relation tuples?|rego|cedar|zanzibar)\b/,
    'relation_tuples',
  ),
  absence(/impersonation|act as a user/i, /\bimpersonat\w+\b/, 'POST /v1/users/:user_id/impersonate'),
  absence(/breach/i, /\b(breach\w*|pwned|hibp)\b/, 'PASSWORD_BREACH_LIST'),
  absence(/bot detection|CAPTCHA/, /\b(captcha|turnstile|bot detection)\b/, 'CAPTCHA_SECRET'),
  absence(/context-specific words/, /\b(context words|password (words|denylist|blocklist))\b/, 'PASSWORD_WORDS'),
  absence(/audience/, /^access token claims aud$/, 'AccessTokenClaims aud'),
  absence(/how long the access lasts/, /\bconsents? (duration|lifetime|expir\w+)\b/, 'consents expires_at'),
];

/** Limits that the documents name as missing, and the line of code that sets each. */
export const LIMITATIONS: readonly { readonly statement: RegExp; readonly code: RegExp }[] = [
  { statement: /Signing keys are RSA with 2,048 bits/, code: /const KEY_BITS = 2048;/ },
  { statement: /SHA-1 is used in two places/, code: /createHmac\('sha1'/ },
  {
    statement: /not compared with the 3,000 most common/,
    code: /PASSWORD_MIN_STRENGTH: kind\.integer\(\{[^}]*fallback: 0,/,
  },
];

/** Sentences with the same words that are not about the product, or say that something is not done in one case. */
export const OTHER_STATEMENTS: readonly RegExp[] = [
  // The project.
  /There is no (other channel|bounty)/,
  /no (release|external audit|external penetration test)|not in the npm registry yet/,
  /the capabilities that do not exist/,
  /it is not implemented\./,
  // Promises and advice.
  /\*\*No response reveals/,
  /\*\*No untrusted content/,
  /an account that does not exist|where there is no account|no token can be made/,
  // Rules of one case.
  /Synced passkeys have no signature counter/,
  /There is no defense against an attacker who runs code/,
  /the audit trail has no write endpoint/,
  /Caddy without extra modules/,
  /has no authenticator app/,
  /A public client has no secret/,
  /An organization has no rules by default/,
  /there are no delegated scopes/,
  /have no session of their own/,
  /not enabled yet/,
];
