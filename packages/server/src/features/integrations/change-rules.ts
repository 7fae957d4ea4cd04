import { isEmail, LIMITS, type Provider, type ProviderChange, TEXT_FORMATS } from '@gatehouse/contract';
import { PROVIDER_FIELDS } from '../../domain/providers/fields.ts';
import { ServiceError } from '../../domain/service-error.ts';

/** A change as it can be stored. */
interface AcceptedChange {
  readonly enabled: boolean;
  readonly public_config: Readonly<Record<string, string>>;
  /** Undefined: the stored one stays. Null: it goes. */
  readonly secret: string | null | undefined;
}

interface Surroundings {
  /** Whether there is a key to seal a secret with. */
  readonly canSeal: boolean;
}

/**
 * §4.9 "Validation", §2.6: the fields that the provider knows, each in its form, and the secret in its own. All faults are
 * told at once, each with its field, and none quotes what was given. Anything else in `public_config` is ignored.
 */
export function acceptChange(provider: Provider, change: ProviderChange, { canSeal }: Surroundings): AcceptedChange {
  const given = givenFields(provider, change.public_config ?? {});
  const faults = [
    ...fieldFaults(provider, given, change.enabled),
    ...secretFaults(provider, change, canSeal).map((fault) => `secret: ${fault}`),
  ];
  if (faults.length > 0) throw new ServiceError('invalid_input', faults.join('; '));
  const public_config = Object.fromEntries([...given].map(([name, value]) => [name, tidied(name, String(value))]));
  return { enabled: change.enabled, public_config, secret: change.clear_secret ? null : (change.secret ?? undefined) };
}

/** Null is as good as left out. */
function givenFields(provider: Provider, config: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const { required, optional } = PROVIDER_FIELDS[provider];
  const known = [...required, ...optional].filter((name) => Object.hasOwn(config, name) && config[name] !== null);
  return new Map(known.map((name) => [name, config[name]]));
}

interface Rule {
  readonly holds: (value: string) => boolean;
  readonly words: string;
}

const MAX_FIELD = 255;
const isLine = (value: string): boolean => value.trim().length <= MAX_FIELD && TEXT_FORMATS.name(value);
const TENANTS = ['common', 'organizations', 'consumers'];
const isTenant = (value: string): boolean => TENANTS.includes(value) || TEXT_FORMATS.uuid(value);

const ID: Rule = {
  holds: (value) => isLine(value) && TEXT_FORMATS.token(value.trim()),
  words: `must be 1 to ${MAX_FIELD} printable ASCII characters without spaces`,
};
/** Those that are not the id of something. */
const RULES: Readonly<Record<string, Rule>> = {
  from: { holds: isEmail, words: 'must be an email address' },
  tenant: {
    holds: (value) => isLine(value) && isTenant(value.trim()),
    words: `must be ${TENANTS.join(', ')} or the GUID of a tenant`,
  },
};

/** A GUID is compared with what the provider signs, which is in lower case. */
const tidied = (name: string, value: string): string => (name === 'tenant' ? value.trim().toLowerCase() : value.trim());

/** Those that cannot be enabled without it; the others are degraded then. */
const NEED_CLIENT_ID: readonly Provider[] = ['oauth_a', 'oauth_b'];

function fieldFaults(provider: Provider, given: ReadonlyMap<string, unknown>, enabled: boolean): string[] {
  const faults: string[] = [];
  if (enabled && NEED_CLIENT_ID.includes(provider) && !given.has('client_id')) {
    faults.push('public_config.client_id: is required when enabled');
  }
  for (const [name, value] of given) {
    const { holds, words } = RULES[name] ?? ID;
    if (typeof value !== 'string') faults.push(`public_config.${name}: must be a string`);
    else if (!holds(value)) faults.push(`public_config.${name}: ${words}`);
  }
  return faults;
}

/** At most one. */
function secretFaults(provider: Provider, { secret, clear_secret }: ProviderChange, canSeal: boolean): string[] {
  const { maxBytes } = LIMITS.providerSecret;
  if (secret === undefined || secret === null) return [];
  if (secret === '')
    return ['must not be empty; leave it out to keep the stored one, or send clear_secret to remove it'];
  if (clear_secret) return ['must not be given together with clear_secret'];
  if (Buffer.byteLength(secret) > maxBytes) return [`must be at most ${maxBytes} bytes`];
  const { holds, words } = secretRule(provider);
  if (!holds(secret)) return [words];
  return canSeal ? [] : ['cannot be stored: set CONFIG_ENCRYPTION_KEY to 32 random bytes and start the server again'];
}

const { minOAuthCharacters: MIN } = LIMITS.providerSecret;
const isLongEnough = (secret: string): boolean => [...secret].length >= MIN;

/** A mail key goes into a header as it is. A PEM has lines; whether it holds a key is for the test action to say. */
function secretRule(provider: Provider): Rule {
  if (provider === 'email_transport') {
    const holds = (secret: string) => secret.startsWith('re_') && TEXT_FORMATS.token(secret);
    return { holds, words: 'must begin with re_ and be printable ASCII without spaces' };
  }
  const characters = provider === 'oauth_d' ? /^[\r\n\P{C}]+$/u : /^[^\s\p{C}]+$/u;
  return {
    holds: (secret) => isLongEnough(secret) && characters.test(secret),
    words: `must be at least ${MIN} printable characters${provider === 'oauth_d' ? '' : ' without spaces'}`,
  };
}
