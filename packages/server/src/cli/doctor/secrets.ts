import type { Environment } from '../../platform/config/load.ts';
import type { Config } from '../../platform/config/settings.ts';
import { SETTINGS } from '../../platform/config/settings.ts';
import { command, type Finding, failed, ok, warning } from './finding.ts';
import { isLoopback } from './site.ts';
import { areWeakBytes, type Weakness, weaknessOf } from './strength.ts';

interface Given {
  readonly config: Config;
  /** As it was written, before anything stood in for what is missing. */
  readonly environment: Environment;
  /** JWT_SECRET is the one that a first start wrote to .env. */
  readonly fromFirstStart: boolean;
}

/** Secrets that somebody could find by trying, or by looking elsewhere. No word of them is in what this says. */
export function examineSecrets(given: Given): Finding[] {
  const { config, environment, fromFirstStart } = given;
  const faults = [
    ...examineStrength(config, environment),
    ...examinePassword(config),
    ...examineTwins(environment),
    ...(fromFirstStart && config.NODE_ENV === 'production' ? [DEVELOPMENT] : []),
    ...(config.METRICS_TOKEN === undefined && config.NODE_ENV === 'production' ? [OPEN_METRICS] : []),
  ];
  return faults.length > 0 ? faults : [ok('secrets', 'none looks weak or like a default, and none is used twice')];
}

const WHY: Readonly<Record<Weakness, string>> = {
  repeats: 'repeats itself',
  placeholder: 'looks like a placeholder',
  words: 'consists of words',
  few: 'does not look randomly generated',
};

const CHANGE = `Copy it to JWT_SECRET_PREVIOUS, set JWT_SECRET to the output of \`openssl rand -base64 48\`, restart every replica, then run ${command('keys rewrap')}.`;

function examineStrength({ NODE_ENV, ...config }: Config, environment: Environment): Finding[] {
  const findings: Finding[] = [];
  const secret = weaknessOf(environment.JWT_SECRET ?? '');
  if (environment.JWT_SECRET && secret) {
    const detail = `${WHY[secret]}: anyone who guesses it can decrypt the signing keys and all TOTP secrets`;
    findings.push((NODE_ENV === 'production' ? failed : warning)('JWT_SECRET', detail, CHANGE));
  }
  for (const name of ['CONFIG_ENCRYPTION_KEY', 'CONFIG_ENCRYPTION_KEY_PREVIOUS'] as const) {
    const key = config[name];
    if (!key || !areWeakBytes(key)) continue;
    const fix =
      name === 'CONFIG_ENCRYPTION_KEY'
        ? `Copy it to CONFIG_ENCRYPTION_KEY_PREVIOUS, set CONFIG_ENCRYPTION_KEY to the output of \`openssl rand -base64 32\`, restart every replica, then run ${command('config-key rotate')}.`
        : `Run ${command('config-key rotate')}, then unset it.`;
    const detail = 'does not look randomly generated: anyone who guesses it can decrypt the stored provider secrets';
    findings.push(warning(name, detail, fix));
  }
  const { AUDIT_EXPORT_KEY } = config;
  const exportKey = AUDIT_EXPORT_KEY === undefined ? undefined : weaknessOf(AUDIT_EXPORT_KEY);
  if (exportKey) {
    const detail = `${WHY[exportKey]}: anyone who guesses it can forge signed exports`;
    const fix = 'Set it to the output of `openssl rand -base64 32`. Keep the old key to verify existing exports.';
    findings.push(warning('AUDIT_EXPORT_KEY', detail, fix));
  }
  const { METRICS_TOKEN } = config;
  const metricsToken = METRICS_TOKEN === undefined ? undefined : weaknessOf(METRICS_TOKEN);
  if (metricsToken) {
    const detail = `${WHY[metricsToken]}: anyone who guesses it can read the metrics`;
    findings.push(
      warning('METRICS_TOKEN', detail, 'Set it to the output of `openssl rand -hex 32`, here and in Prometheus.'),
    );
  }
  return findings;
}

const USUAL =
  /^(postgres|postgresql|password|passw0rd|secret|changeme|change-me|admin|root|gatehouse|example|test|1234\d*)$/i;

/** A password of the database that everybody tries first, where others can reach it. */
function examinePassword({ DATABASE_URL }: Config): Finding[] {
  if (DATABASE_URL === undefined) return [];
  const { username, hostname, searchParams } = new URL(DATABASE_URL);
  const password = passwordIn(DATABASE_URL);
  const isLocal = isLoopback(hostname || 'localhost') || searchParams.get('host')?.startsWith('/');
  if (isLocal || !password || (!USUAL.test(password) && password !== decodeURIComponent(username))) return [];
  const fix = "Change it in psql, `alter role current_user password '…';`, and in DATABASE_URL.";
  return [warning('DATABASE_URL', 'has a commonly used password', fix)];
}

/** Whoever learns one of two that are the same has both. */
function examineTwins(environment: Environment): Finding[] {
  const places = new Map<string, string[]>();
  for (const [name, { secret = false }] of Object.entries(SETTINGS as Record<string, { secret?: boolean }>)) {
    const given = secret ? environment[name] : undefined;
    if (!given) continue;
    const isUrl = /_URL$/.test(name);
    const value = isUrl ? passwordIn(given) : given;
    if (value) places.set(value, [...(places.get(value) ?? []), isUrl ? `the password in ${name}` : name]);
  }
  return [...places.values()]
    .filter((names) => names.length > 1)
    .map((names) =>
      warning(
        'secrets',
        `${names.join(' and ')} are the same: a leak of one exposes all`,
        'Generate a value for each.',
      ),
    );
}

/** Decoded as it is used; an address that cannot be read has none. */
function passwordIn(url: string): string {
  const given = URL.canParse(url) ? new URL(url).password : '';
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
}

const DEVELOPMENT = warning(
  '.env',
  'this production service uses the secrets that the first start in development generated',
  'If others have a copy of that file, change JWT_SECRET (docs/operating.md, "Keys and secrets"). If not, remove its first line, the comment.',
);

const OPEN_METRICS = warning(
  'METRICS_TOKEN',
  'is not set: anyone who reaches the service can read /metrics',
  'Set it to the output of `openssl rand -hex 32`, here and in Prometheus.',
);
