import { isEmail } from '@gatehouse/contract';
import pc from 'picocolors';
import type { Config } from '../platform/config/settings.ts';

interface Started {
  readonly config: Config;
  readonly port: number;
  readonly embedded: boolean;
  readonly milliseconds: number;
}

/** What somebody wants to know who has just started it. */
export function printBanner(say: (text: string) => void, { config, port, embedded, milliseconds }: Started): void {
  const rows = [
    ['Service', config.PUBLIC_BASE_URL],
    ['Listening', `${config.HOST}:${port}`],
    ['Reference', `${config.PUBLIC_BASE_URL}/docs`],
    ...(config.NODE_ENV === 'production' ? [] : [['Mail', `${config.PUBLIC_BASE_URL}/dev/mail`]]),
    ['Database', embedded ? `embedded PostgreSQL in ${config.DATA_DIR}` : 'DATABASE_URL'],
    ...(config.WORKERS > 1 ? [['Workers', String(config.WORKERS)]] : []),
    ['Check it', 'npx gatehouse doctor'],
  ];
  const lines = rows.map(([name, value]) => `  ${pc.dim(name!.padEnd(10))} ${value}`);
  const warnings = warningsOf(config, port).map((text) => `${pc.yellow('!')} ${text}`);
  const title = `${pc.bold('Gatehouse')} is ready after ${(milliseconds / 1000).toFixed(1)} s`;
  say(['', title, ...lines, ...warnings, ''].join('\n'));
}

function warningsOf(config: Config, port: number): string[] {
  const { INITIAL_OWNER_EMAIL, NODE_ENV, HOST } = config;
  return [
    ...addressWarnings(config, port),
    ...(NODE_ENV !== 'production' && !isLoopback(HOST)
      ? [`This listens on ${HOST} in development: who reaches it can read all mail. Set NODE_ENV=production.`]
      : []),
    ...(INITIAL_OWNER_EMAIL !== undefined && !isEmail(INITIAL_OWNER_EMAIL)
      ? [`INITIAL_OWNER_EMAIL is ${INITIAL_OWNER_EMAIL}, which is not an email address: nobody will become owner.`]
      : []),
  ];
}

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);

function addressWarnings({ NODE_ENV, PUBLIC_BASE_URL }: Config, port: number): string[] {
  const { protocol, hostname, port: named } = new URL(PUBLIC_BASE_URL);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1';
  if (NODE_ENV === 'production' && protocol === 'http:') {
    return [`PUBLIC_BASE_URL is ${PUBLIC_BASE_URL}: in production it should be the https address people use.`];
  }
  if (isLocal && Number(named || 80) !== port) {
    return [
      `PUBLIC_BASE_URL says port ${named || 80}, and this listens on ${port}: set PUBLIC_BASE_URL, or links lead nowhere.`,
    ];
  }
  return [];
}
