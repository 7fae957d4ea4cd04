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
    ok: 'reachable',
    failed: 'unreachable',
    help: 'Check DATABASE_URL, and that PostgreSQL is running.',
  },
  migrations: {
    name: 'Migrations',
    ok: 'all applied',
    failed: 'not all applied',
    help: 'Run “npx gatehouse migrate”.',
  },
  signing_key: {
    name: 'Signing key',
    ok: 'in use',
    failed: 'none usable',
    help: 'Run “npx gatehouse doctor” to see why.',
  },
  mail: {
    name: 'Email',
    ok: 'can be sent',
    failed: 'cannot be sent',
    help: 'Configure Resend under Providers, or set SMTP_URL.',
  },
};

export const text = {
  title: 'Overview',
  lead: 'The current state of the service.',
  figures: 'Metrics',
  users: 'Users',
  organizations: 'Organizations',
  sessions: 'Active sessions',
  estimated: 'estimated',
  mails: 'Emails queued',
  mailTrouble: (failed: number, expired: number) =>
    `${[failed > 0 && `${failed} failed`, expired > 0 && `${expired} expired`].filter(Boolean).join(', ')} in 30 days`,
  mailFine: 'none failed in 30 days',
  signIns: 'Sign-ins',
  signInsLead:
    'By password, passkey, emailed code, third party or single sign-on. If a second factor is required, a sign-in counts once it is verified.',
  range: 'Time range',
  ranges,
  succeeded: 'Succeeded',
  failed: 'Failed',
  count: {
    succeeded: (count: number) => (count === 1 ? '1 sign-in' : `${count.toLocaleString('en')} sign-ins`),
    failed: (count: number) => (count === 1 ? '1 failed attempt' : `${count.toLocaleString('en')} failed attempts`),
  },
  noSignIns: 'No sign-ins in this period.',
  noFailures: 'No failed attempts in this period.',
  soFar: 'so far',
  bar: (when: string, count: string) => `${when}: ${count}`,
  chartHint: 'Use the arrow keys to move between bars.',
  asTable: 'Show as table',
  hour: 'Hour',
  day: 'Day (UTC)',
  status: 'Status',
  ready: 'Ready',
  notReady: 'Not ready',
  readyLead: 'The response of /readyz, which load balancers check.',
  checks,
  degradedTitle: 'Degraded providers',
  branding: {
    title: 'Branding',
    lead: 'How the service presents itself on pages and in emails. To change it, change these settings and restart the service.',
    unset: 'Not set',
  },
  renewed: (time: string) => `Updated at ${time}. Refreshes every 15 seconds.`,
};
export type Text = typeof text;
