import type { OverviewQuery, Readiness } from '@gatehouse/contract';

const ranges: Readonly<Record<NonNullable<OverviewQuery['range']>, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};

interface Check {
  readonly name: string;
  readonly ok: string;
  readonly failed: string;
  readonly help: string;
}

const checks: Readonly<Record<keyof Readiness['checks'], Check>> = {
  database: {
    name: 'Database',
    ok: 'answers',
    failed: 'does not answer',
    help: 'Check DATABASE_URL, and that PostgreSQL runs.',
  },
  migrations: {
    name: 'Migrations',
    ok: 'all applied',
    failed: 'some are missing',
    help: 'Run “npx gatehouse migrate”.',
  },
  signing_key: {
    name: 'Signing key',
    ok: 'in use',
    failed: 'none can be used',
    help: 'Run “npx gatehouse doctor” to see why.',
  },
  mail: {
    name: 'Mail',
    ok: 'can be sent',
    failed: 'cannot be sent',
    help: 'Set up Resend here under Providers, or set SMTP_URL.',
  },
};

export const text = {
  title: 'Overview',
  lead: 'How the service is doing right now.',
  figures: 'Figures',
  users: 'Users',
  organizations: 'Organizations',
  sessions: 'Active sessions',
  estimated: 'an estimate',
  mails: 'Mails waiting',
  mailTrouble: (failed: number, expired: number) =>
    [failed > 0 && `${failed} given up`, expired > 0 && `${expired} out of date`].filter(Boolean).join(', ') +
    ' in 30 days',
  mailFine: 'none given up in 30 days',
  signIns: 'Sign-ins',
  signInsLead: 'By password, passkey, emailed code or a third party, with the second factor where one is asked for.',
  range: 'How far back',
  ranges,
  succeeded: 'Succeeded',
  failed: 'Failed',
  count: {
    succeeded: (count: number) => (count === 1 ? '1 sign-in' : `${count.toLocaleString('en')} sign-ins`),
    failed: (count: number) => (count === 1 ? '1 failed attempt' : `${count.toLocaleString('en')} failed attempts`),
  },
  noSignIns: 'Nobody has signed in during this time.',
  noFailures: 'No attempt has failed during this time.',
  soFar: 'so far',
  bar: (when: string, count: string) => `${when}: ${count}`,
  chartHint: 'Arrow keys move from bar to bar.',
  asTable: 'The same as a table',
  hour: 'Hour',
  day: 'Day (UTC)',
  status: 'Status',
  ready: 'Ready',
  notReady: 'Not ready',
  readyLead: 'What a load balancer sees at /readyz.',
  checks,
  degradedTitle: 'Providers that cannot be used as saved',
  renewed: (time: string) => `As of ${time}. Renewed every 15 seconds.`,
};
export type Text = typeof text;
