import type { ProviderField } from '@gatehouse/contract';

/** How to register the service with a provider: where its console shows each setting, and under which name. */
export interface Guide {
  /** Where to register this service. */
  readonly where: string;
  readonly notes: readonly string[];
  readonly fields: Partial<Record<ProviderField, string>>;
  readonly secret: string;
  readonly secretHelp: string;
  readonly secretWrong: string;
}

const SECRET_WRONG = 'A secret has at least 8 characters and no spaces. Copy it once more.';

/** By the key in `PROVIDER_TABLE`. A provider without an entry uses `anyGuide`. */
const guides = {
  resend: {
    where: 'In Resend: API Keys → Create API key. The domain you send from has to be verified under Domains.',
    notes: [
      'Without it, mails go by EMAIL_API_KEY and EMAIL_FROM or by SMTP_URL of the environment, if they are set.',
      'The test asks for the list of domains, which a key with sending access alone may not read. Mails leave all the same.',
    ],
    fields: { from: 'The bare address that all mails come from: id@example.com' },
    secret: 'API key',
    secretHelp: 'Begins with re_',
    secretWrong: 'An API key of Resend begins with re_ and has no spaces.',
  },
  google: {
    where:
      'In the Google Cloud console: APIs & Services → Credentials → Create credentials → OAuth client ID, type “Web application”. The callback URL goes under “Authorized redirect URIs”.',
    notes: [],
    fields: { client_id: 'Ends in .apps.googleusercontent.com' },
    secret: 'Client secret',
    secretHelp: 'Shown once, when the client is made.',
    secretWrong: SECRET_WRONG,
  },
  github: {
    where:
      'On GitHub: Settings → Developer settings → OAuth Apps → New OAuth App. The callback URL goes into “Authorization callback URL”.',
    notes: ['People need a verified primary address on GitHub.'],
    fields: { client_id: 'On the page of the OAuth app' },
    secret: 'Client secret',
    secretHelp: '“Generate a new client secret” on the same page.',
    secretWrong: SECRET_WRONG,
  },
  microsoft: {
    where:
      'In the Entra admin center: App registrations → New registration, platform “Web”. The callback URL goes into “Redirect URI”.',
    notes: [
      'Add the optional claim xms_edov under Token configuration. Without it, addresses count as unverified, and people who have an account here are not recognised by theirs.',
    ],
    fields: {
      client_id: '“Application (client) ID” on the overview of the app',
      tenant:
        'Who may sign in, as the app’s supported account types say: common, organizations, consumers, or the GUID of one tenant. Blank: common.',
    },
    secret: 'Client secret',
    secretHelp: 'Certificates & secrets → New client secret: its value, not its id.',
    secretWrong: SECRET_WRONG,
  },
  apple: {
    where:
      'At Apple Developer: Certificates, Identifiers & Profiles → a Services ID with “Sign in with Apple”, and a key for it. The callback URL goes into “Return URLs” of the Services ID.',
    notes: ['Apple accepts https addresses only.'],
    fields: {
      client_id: 'The identifier of the Services ID, such as com.example.id',
      team_id: 'Ten characters, top right on every page there',
      key_id: 'Ten characters, on the page of the key',
    },
    secret: 'Private key',
    secretHelp: 'The whole text of the .p8 file, with its first and last line.',
    secretWrong: 'This is no private key. Paste the whole text of the .p8 file, with its first and last line.',
  },
  facebook: {
    where:
      'At Meta for Developers: an app with Facebook Login. The callback URL goes into “Valid OAuth Redirect URIs”.',
    notes: [
      'The app needs the email permission.',
      'Facebook does not say whether an address is verified, so people who have an account here link Facebook in their account first.',
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
  client_id: { label: 'Client ID', wrong: 'An id is at most 255 characters long and has no spaces.' },
  from: { label: 'Sender address', wrong: 'Enter a bare address such as id@example.com, without a name.' },
  key_id: { label: 'Key ID', wrong: 'An id is at most 255 characters long and has no spaces.' },
  team_id: { label: 'Team ID', wrong: 'An id is at most 255 characters long and has no spaces.' },
  tenant: { label: 'Tenant', wrong: 'Enter common, organizations, consumers, or the GUID of a tenant.' },
};

export const text = {
  title: 'Providers',
  lead: 'By whom people can sign in, and how mail leaves.',
  all: 'All providers',
  on: 'On',
  off: 'Off',
  degraded: 'Degraded',
  byStored: 'As saved here.',
  byEnvironment: 'By the settings of the environment.',
  meanwhile: 'Meanwhile the settings of the environment are in force.',
  notOffered: 'It is not offered meanwhile.',
  switchedOff: 'Saved here and switched off.',
  neverSet: 'Not set up.',
  mailElsewhere: 'Not set up here. Mail leaves by SMTP_URL, if that is set.',
  guides: guides as Readonly<Record<keyof typeof guides, Guide>>,
  anyGuide,
  fields,
  status: 'Status',
  source: 'In force',
  sources: { stored: 'what is saved here', environment: 'the settings of the environment' },
  nothing: 'nothing',
  secretState: 'Secret',
  secretSet: 'saved and sealed',
  secretNotSet: 'none saved',
  keyId: 'Sealed under key',
  changed: 'Last change',
  register: (name: string) => `Register with ${name}`,
  callback: 'Callback URL',
  callbackHelp: 'Register it letter by letter.',
  copyCallback: 'Copy the callback URL',
  none: 'not set',
  settings: 'Settings',
  settingsLead: 'What is saved holds at once, on other replicas within seconds.',
  overEnvironment: 'The environment sets this provider up at present. What you save here takes its place.',
  enabled: 'Switched on',
  enabledHelp: 'People see it on the sign-in page.',
  enabledMailHelp: 'Mails leave this way.',
  secretKept: 'A secret is saved. It is never shown again.',
  replace: 'Replace',
  keep: 'Keep the saved one',
  clearSecret: 'Clear',
  clearTitle: 'Clear the secret?',
  clearQuestion: (name: string) =>
    `The saved secret of ${name} is deleted, and the provider cannot be used until another one is saved.`,
  showSecret: 'Show what is entered',
  secretNeeded: 'Enter the secret, or leave the provider switched off.',
  secretTooLong: 'A secret is at most 4,096 bytes long.',
  fieldNeeded: 'Fill this in, or leave the provider switched off.',
  savedFine: 'Saved, and in force.',
  savedOff: 'Saved. It is switched off.',
  savedDegraded: 'Saved, but it cannot be used yet.',
  tooOften: 'The settings of providers were asked for too often from your address. Please wait a little.',
  test: 'Test',
  testTitle: 'Test',
  testLead: 'Checks what is saved, also while it is switched off.',
  testGood: 'No fault found',
  testBad: 'It does not work yet',
  noKeyTitle: 'Secrets cannot be saved yet',
  noKey:
    'Secrets are sealed before they are stored, and the service has no key for that. Make one, set it as CONFIG_ENCRYPTION_KEY in the environment or in .env, keep it somewhere safe, and restart the service.',
  noKeyCommand: 'Makes a key:',
  noKeyHere: 'A secret cannot be saved: CONFIG_ENCRYPTION_KEY is not set.',
};
export type Text = typeof text;
