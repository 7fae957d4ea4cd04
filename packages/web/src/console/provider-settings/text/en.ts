import type { ProviderField } from '@gatehouse/contract';

export interface Guide {
  readonly where: string;
  readonly notes: readonly string[];
  readonly fields: Partial<Record<ProviderField, string>>;
  readonly secret: string;
  readonly secretHelp: string;
  readonly secretWrong: string;
}

const SECRET_WRONG = 'A secret has at least 8 characters and no spaces. Copy it again.';

/** By the key in `PROVIDER_TABLE`. A provider without an entry uses `anyGuide`. */
const guides = {
  resend: {
    where: 'In Resend: API Keys → Create API key. The domain you send from must be verified under Domains.',
    notes: [
      'Without it, emails are sent with EMAIL_API_KEY and EMAIL_FROM or with SMTP_URL, if they are set in the environment.',
      'With a key that has sending access only, the test fails, because it requests the list of domains. Emails are still sent.',
    ],
    fields: { from: 'The address that all emails are sent from, without a name: id@example.com' },
    secret: 'API key',
    secretHelp: 'Starts with re_',
    secretWrong: 'A Resend API key starts with re_ and has no spaces.',
  },
  google: {
    where:
      'In the Google Cloud console: APIs & Services → Credentials → Create credentials → OAuth client ID, type “Web application”. The callback URL goes under “Authorized redirect URIs”.',
    notes: [],
    fields: { client_id: 'Ends in .apps.googleusercontent.com' },
    secret: 'Client secret',
    secretHelp: 'Shown once, when you create the client.',
    secretWrong: SECRET_WRONG,
  },
  github: {
    where:
      'On GitHub: Settings → Developer settings → OAuth Apps → New OAuth App. The callback URL goes into “Authorization callback URL”.',
    notes: ['Users need a verified primary email address on GitHub.'],
    fields: { client_id: 'On the page of your OAuth app' },
    secret: 'Client secret',
    secretHelp: '“Generate a new client secret” on the same page.',
    secretWrong: SECRET_WRONG,
  },
  microsoft: {
    where:
      'In the Entra admin center: App registrations → New registration, platform “Web”. The callback URL goes into “Redirect URI”.',
    notes: [
      'Add the optional claim xms_edov under Token configuration. Without it, email addresses count as unverified, and users who already have an account here are not recognized by their address.',
    ],
    fields: {
      client_id: '“Application (client) ID” on the app’s overview page',
      tenant:
        'Who can sign in, according to the app’s supported account types: common, organizations, consumers, or the GUID of a tenant. If left empty: common.',
    },
    secret: 'Client secret',
    secretHelp: 'Certificates & secrets → New client secret. Use its value, not its ID.',
    secretWrong: SECRET_WRONG,
  },
  apple: {
    where:
      'In Apple Developer: Certificates, Identifiers & Profiles → create a Services ID with “Sign in with Apple”, and a key for it. The callback URL goes into “Return URLs” of the Services ID.',
    notes: ['Apple only accepts HTTPS addresses.'],
    fields: {
      client_id: 'The identifier of the Services ID, such as com.example.id',
      team_id: 'Ten characters, at the top right of every page there',
      key_id: 'Ten characters, on the key’s page',
    },
    secret: 'Private key',
    secretHelp: 'The full text of the .p8 file, including its first and last line.',
    secretWrong: 'This is not a private key. Paste the full text of the .p8 file, including its first and last line.',
  },
  facebook: {
    where:
      'In Meta for Developers: create an app with Facebook Login. The callback URL goes into “Valid OAuth Redirect URIs”.',
    notes: [
      'The app needs the email permission.',
      'Facebook does not report whether an address is verified. Users who already have an account here must first link Facebook in their account.',
    ],
    fields: { client_id: '“App ID” under App settings → Basic' },
    secret: 'App secret',
    secretHelp: 'On the same page.',
    secretWrong: SECRET_WRONG,
  },
};

const anyGuide = (name: string): Guide => ({
  where: `Register an OAuth application with ${name}. Add the callback URL to its redirect URIs.`,
  notes: [],
  fields: { client_id: `Shown by ${name} in the settings of the application.` },
  secret: 'Client secret',
  secretHelp: `Shown by ${name} when you create the application.`,
  secretWrong: SECRET_WRONG,
});

const fields: Readonly<Record<ProviderField, { label: string; wrong: string }>> = {
  client_id: { label: 'Client ID', wrong: 'An ID has at most 255 characters and no spaces.' },
  from: { label: 'Sender address', wrong: 'Enter an address such as id@example.com, without a name.' },
  key_id: { label: 'Key ID', wrong: 'An ID has at most 255 characters and no spaces.' },
  team_id: { label: 'Team ID', wrong: 'An ID has at most 255 characters and no spaces.' },
  tenant: { label: 'Tenant', wrong: 'Enter common, organizations, consumers, or the GUID of a tenant.' },
};

export const text = {
  title: 'Providers',
  lead: 'How users sign in with third parties, and how email is sent.',
  all: 'All providers',
  on: 'On',
  off: 'Off',
  degraded: 'Degraded',
  byStored: 'Uses the settings saved here.',
  byEnvironment: 'Uses the settings from the environment.',
  meanwhile: 'Until this is fixed, the settings from the environment are used.',
  notOffered: 'Until this is fixed, the provider is not offered.',
  switchedOff: 'Saved here, but disabled.',
  neverSet: 'Not configured.',
  mailElsewhere: 'Not configured here. Email is sent through SMTP_URL, if that is set.',
  guides: guides as Readonly<Record<keyof typeof guides, Guide>>,
  anyGuide,
  fields,
  status: 'Status',
  source: 'Active settings',
  sources: { stored: 'saved here', environment: 'from the environment' },
  nothing: 'none',
  secretState: 'Secret',
  secretSet: 'saved and encrypted',
  secretNotSet: 'none saved',
  keyId: 'Encrypted with key',
  changed: 'Last changed',
  register: (name: string) => `Registration with ${name}`,
  callback: 'Callback URL',
  callbackHelp: 'Copy it exactly.',
  copyCallback: 'Copy callback URL',
  none: 'not set',
  settings: 'Settings',
  settingsLead: 'Changes take effect immediately, on other replicas within seconds.',
  overEnvironment:
    'This provider is currently configured in the environment. The settings you save here replace that configuration.',
  enabled: 'Enabled',
  enabledHelp: 'Offered on the sign-in page.',
  enabledMailHelp: 'Emails are sent through this provider.',
  secretKept: 'A secret is saved. It is never shown again.',
  replace: 'Replace',
  keep: 'Keep saved secret',
  clearSecret: 'Clear',
  clearTitle: 'Clear the secret?',
  clearQuestion: (name: string) =>
    `The saved secret of ${name} is deleted. The settings saved here can’t be used until you save another one.`,
  showSecret: 'Show secret',
  secretNeeded: 'Enter the secret, or leave the provider disabled.',
  secretTooLong: 'A secret has at most 4,096 bytes.',
  fieldNeeded: 'Fill this in, or leave the provider disabled.',
  savedFine: 'Saved and active.',
  savedOff: 'Saved. The provider is disabled.',
  savedDegraded: 'Saved, but not usable yet.',
  tooOften: 'Too many requests for provider settings from your IP address. Please wait.',
  test: 'Test',
  testTitle: 'Test',
  testLead: 'Checks the saved settings, even while the provider is disabled.',
  testGood: 'No problems found',
  testBad: 'The test failed',
  noKeyTitle: 'Secrets cannot be saved yet',
  noKey:
    'Secrets are encrypted before they are stored, and the service has no key for that. Generate a key, set it as CONFIG_ENCRYPTION_KEY in the environment or in .env, keep a copy in a safe place, and restart the service.',
  noKeyCommand: 'Generate a key:',
  noKeyHere: 'A secret cannot be saved: CONFIG_ENCRYPTION_KEY is not set.',
};
export type Text = typeof text;
