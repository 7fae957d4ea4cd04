import { isEmail } from '@gatehouse/contract';
import pc from 'picocolors';
import type { Config } from '../../platform/config/settings.ts';
import { VERSION } from '../../version.ts';
import { cliCommand } from './cli-command.ts';

export interface Started {
  readonly config: Config;
  readonly port: number;
  /** The location of the database, without a password. */
  readonly database: string;
  /** The file that the secrets were read from, if any. */
  readonly environmentFile: string | undefined;
  readonly hasOwner: boolean;
  /** Variables that other commands need, because `serve` had them: `PORT=9000 `, `DATA_DIR=/srv/data `. */
  readonly given: { readonly port: string; readonly database: string };
  readonly milliseconds: number;
}

type Row = readonly [name: string, value: string, remark?: string];

export function describeStart(started: Started): string {
  const { config, port, milliseconds } = started;
  const title = `${pc.bold('Gatehouse')} ${VERSION} is ready after ${(milliseconds / 1000).toFixed(1)} s`;
  const warnings = warningsOf(config, port).map((text) => `${pc.yellow('!')} ${text}`);
  return ['', title, '', ...table(places(started)), '', ...table(details(started)), ...warnings, ''].join('\n');
}

function places({ config, hasOwner }: Started): Row[] {
  const { NODE_ENV, PUBLIC_BASE_URL } = config;
  const at = (path: string) => `${PUBLIC_BASE_URL}${path}`;
  const development: Row[] = [['Mail', at('/dev/mail'), 'mails appear here while no transport is configured']];
  return [
    ['Open', at('/'), hasOwner ? 'sign in' : 'create an organization, or sign in'],
    ['Console', at('/console'), hasOwner ? 'for platform administrators' : 'needs a platform owner, see below'],
    ...(NODE_ENV === 'production' ? [] : development),
    ['API', at('/docs'), 'API reference'],
  ];
}

function details({ config, port, database, environmentFile, hasOwner, given }: Started): Row[] {
  const { NODE_ENV, HOST, WORKERS } = config;
  return [
    ['Listening', `${HOST}:${port}${WORKERS > 1 ? `, ${WORKERS} workers` : ''}`],
    ['Data', database],
    ['Secrets', environmentFile ?? 'the environment'],
    ...(hasOwner ? [] : [['Owner', `none yet: ${firstOwner(config, given.database)}`] as Row]),
    ['Check', `${given.port}${given.database}${cliCommand('doctor')}`],
    ...(NODE_ENV === 'production'
      ? []
      : [['Production', 'this is a development setup; to deploy: docs/deploying.md'] as Row]),
  ];
}

const firstOwner = ({ INITIAL_OWNER_EMAIL, NODE_ENV }: Config, given: string): string => {
  if (INITIAL_OWNER_EMAIL === undefined) return `register, then ${given}${cliCommand('admin grant <your email>')}`;
  return `register as ${INITIAL_OWNER_EMAIL}${NODE_ENV === 'production' ? ' and open the verification link in the same browser' : ''}`;
};

function table(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.filter(([, , remark]) => remark).map(([, value]) => value.length));
  return rows.map(([name, value, remark]) => {
    const shown = remark ? `${value.padEnd(width)}  ${pc.dim(remark)}` : value;
    return `  ${pc.dim(name.padEnd(10))}  ${shown}`;
  });
}

export function warningsOf(config: Config, port: number): string[] {
  const { INITIAL_OWNER_EMAIL, NODE_ENV, HOST } = config;
  return [
    ...addressWarnings(config, port),
    ...(NODE_ENV !== 'production' && !isLoopback(HOST)
      ? [
          `The service listens on ${HOST} in development: anyone who reaches it can read all mail. Set NODE_ENV=production.`,
        ]
      : []),
    ...(INITIAL_OWNER_EMAIL !== undefined && !isEmail(INITIAL_OWNER_EMAIL)
      ? [
          `INITIAL_OWNER_EMAIL is ${INITIAL_OWNER_EMAIL}, which is not an email address: no account can become platform owner.`,
        ]
      : []),
  ];
}

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);

function addressWarnings({ NODE_ENV, PUBLIC_BASE_URL }: Config, port: number): string[] {
  const { protocol, hostname, port: named } = new URL(PUBLIC_BASE_URL);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1';
  if (NODE_ENV === 'production' && protocol === 'http:') {
    return [`PUBLIC_BASE_URL is ${PUBLIC_BASE_URL}: in production, set it to the public https address.`];
  }
  if (isLocal && protocol === 'http:' && Number(named || 80) !== port) {
    return [
      `PUBLIC_BASE_URL has port ${named || 80}, but the service listens on ${port}: links do not work. Set PUBLIC_BASE_URL.`,
    ];
  }
  return [];
}
