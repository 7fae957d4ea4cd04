import { parse } from 'tldts';
import { Fault, type Setting } from './kinds.ts';
import { readSecret } from './secret-files.ts';
import { type Config, SETTINGS, type SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Contains all faults; each names the setting and the remedy. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n  ${faults.join('\n  ')}`,
    );
    this.faults = faults;
  }
}

const REQUIRED: readonly SettingName[] = ['JWT_SECRET', 'PUBLIC_BASE_URL'];

/** An empty value means unset. Faults never contain values, which may be secrets. */
export function loadConfig(environment: Environment): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const read = setting.secret ? readSecret(environment, name) : { value: environment[name]?.trim() ?? '' };
    if ('fault' in read) {
      faults.push(read.fault);
      continue;
    }
    const given = read.value;
    if (given === '') {
      values[name] = setting.fallback;
      if (REQUIRED.includes(name)) faults.push(`${name} is missing. ${remedy(name)}`);
      continue;
    }
    try {
      values[name] = setting.parse(given);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(`${name} ${error.message}. ${remedy(name)}`.trimEnd());
    }
  }
  const config = values as unknown as Config;
  faults.push(...combinations(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    ...config,
    PASSKEY_RP_ID: config.PASSKEY_RP_ID ?? new URL(config.PUBLIC_BASE_URL).hostname,
    SECURE_COOKIES: config.SECURE_COOKIES ?? config.PUBLIC_BASE_URL.startsWith('https:'),
    PRIVATE_NETWORKS: config.PRIVATE_NETWORKS ?? (config.NODE_ENV === 'production' ? 'refuse' : 'allow'),
    FAILURES_PER_ADDRESS: config.FAILURES_PER_ADDRESS ?? (mayHideClients(config) ? 0 : FAILURES_PER_ADDRESS),
  };
}

const FAILURES_PER_ADDRESS = 600;

/** Whether an unconfigured proxy may hide clients: all share its address, so a limit per address would lock out all. */
export const mayHideClients = ({ NODE_ENV, TRUST_PROXY }: Pick<Config, 'NODE_ENV' | 'TRUST_PROXY'>): boolean =>
  NODE_ENV === 'production' && TRUST_PROXY === undefined;

function combinations(config: Config): string[] {
  const faults: string[] = [];
  const { NODE_ENV, JWT_SECRET, JWT_SECRET_PREVIOUS } = config;
  if (NODE_ENV === 'production' && JWT_SECRET && new Set(JWT_SECRET).size < 8) {
    faults.push(`JWT_SECRET does not look randomly generated. ${remedy('JWT_SECRET')}`);
  }
  if (JWT_SECRET && JWT_SECRET === JWT_SECRET_PREVIOUS) {
    faults.push('JWT_SECRET_PREVIOUS equals JWT_SECRET. Set it to the old secret, or unset it.');
  }
  const { CONFIG_ENCRYPTION_KEY: key, CONFIG_ENCRYPTION_KEY_PREVIOUS: previousKey } = config;
  if (key && previousKey?.equals(key)) {
    faults.push('CONFIG_ENCRYPTION_KEY_PREVIOUS equals CONFIG_ENCRYPTION_KEY. Set it to the old key, or unset it.');
  }
  const { PUBLIC_BASE_URL: base, PASSKEY_RP_ID: rpId } = config;
  if (base && rpId && !mayBeRelyingParty(rpId, new URL(base).hostname)) {
    faults.push(
      `PASSKEY_RP_ID must be the host of PUBLIC_BASE_URL or a parent domain of it that is not a public suffix. ${remedy('PASSKEY_RP_ID')}`,
    );
  }
  if (config.SESSION_MAX_AGE < config.ACCESS_TOKEN_TTL) {
    faults.push(
      'SESSION_MAX_AGE is shorter than ACCESS_TOKEN_TTL. A session must last at least as long as an access token.',
    );
  }
  return faults;
}

/** As browsers decide: anyone can register domains under a public suffix, and so could use its passkeys. */
const mayBeRelyingParty = (id: string, host: string): boolean =>
  id === host ||
  (host.endsWith(`.${id}`) && parse(id, { allowPrivateDomains: true, extractHostname: false }).publicSuffix !== id);

function remedy(name: SettingName): string {
  const setting: Setting<unknown> = SETTINGS[name];
  if (name === 'PUBLIC_BASE_URL')
    return 'Set it to the public address of the service, for example https://id.example.com.';
  return setting.example ? `For example: ${setting.example}.` : '';
}
