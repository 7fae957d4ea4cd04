import { isEmail, LIMITS, PROVIDER_INFO, type Provider, type ProviderChange, TEXT_FORMATS } from '@gatehouse/contract';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { FieldRule } from '../../domain/provider-settings/definition.ts';
import { definitionOf } from '../../domain/provider-settings/list.ts';

interface AcceptedChange {
  readonly enabled: boolean;
  readonly public_config: Readonly<Record<string, string>>;
  /** Undefined keeps the stored secret; null removes it. */
  readonly secret: string | null | undefined;
}

interface ChangeDeps {
  /** Whether an encryption key for secrets is configured. */
  readonly canSeal: boolean;
}

/** §4.9 "Validation", §2.6: reports all faults at once, without quoting the input. Ignores unknown fields. */
export function acceptChange(provider: Provider, change: ProviderChange, { canSeal }: ChangeDeps): AcceptedChange {
  const given = givenFields(provider, change);
  const faults = [
    ...fieldFaults(provider, given, change.enabled),
    ...secretFaults(provider, change, canSeal).map((fault) => `secret: ${fault}`),
  ];
  if (faults.length > 0) throw new ServiceError('invalid_input', faults.join('; '));
  const public_config = Object.fromEntries(
    [...given].map(([name, value]) => [name, normalized(ruleOf(provider, name), String(value))]),
  );
  return { enabled: change.enabled, public_config, secret: change.clear_secret ? null : (change.secret ?? undefined) };
}

/** The fields of the provider that the request contains. Null counts as omitted. */
function givenFields(
  provider: Provider,
  { enabled, public_config: config = {} }: ProviderChange,
): Map<string, unknown> {
  const { required, optional = [] } = PROVIDER_INFO[provider];
  const isGiven = (name: string) => Object.hasOwn(config, name) && config[name] !== null;
  // A form that is saved before it is filled in.
  const isBlank = (name: string) => !enabled && name === 'client_id' && config[name] === '';
  const known = [...required, ...optional].filter((name) => isGiven(name) && !isBlank(name));
  return new Map(known.map((name) => [name, config[name]]));
}

const MAX_FIELD_CHARS = 255;
const isLine = (value: string): boolean => value.trim().length <= MAX_FIELD_CHARS && TEXT_FORMATS.name(value);

const ID: FieldRule = {
  isValid: (value) => TEXT_FORMATS.token(value.trim()),
  message: `must be 1 to ${MAX_FIELD_CHARS} printable ASCII characters without spaces`,
};
/** A host in a private network may have a name of one label. */
const FROM: FieldRule = { isValid: (value) => isEmail(value, 1), message: 'must be an email address' };

const ruleOf = (provider: Provider, name: string): FieldRule =>
  provider === 'email_transport' ? FROM : (definitionOf(provider).rules?.[name] ?? ID);

const normalized = ({ normalize }: FieldRule, value: string): string => normalize?.(value.trim()) ?? value.trim();

const requiresClientId = (provider: Provider): boolean =>
  provider !== 'email_transport' && definitionOf(provider).requiresClientId === true;

function fieldFaults(provider: Provider, given: ReadonlyMap<string, unknown>, enabled: boolean): string[] {
  const faults: string[] = [];
  if (enabled && requiresClientId(provider) && !given.has('client_id')) {
    faults.push('public_config.client_id: is required when enabled');
  }
  for (const [name, value] of given) {
    const { isValid, message } = ruleOf(provider, name);
    if (typeof value !== 'string') faults.push(`public_config.${name}: must be a string`);
    else if (!isValid(value) || (provider !== 'email_transport' && !isLine(value)))
      faults.push(`public_config.${name}: ${message}`);
  }
  return faults;
}

/** Returns at most one fault. */
function secretFaults(provider: Provider, { secret, clear_secret }: ProviderChange, canSeal: boolean): string[] {
  const { maxBytes } = LIMITS.providerSecret;
  if (secret === undefined || secret === null) return [];
  if (secret === '') return ['must not be empty; omit it to keep the stored secret, or send clear_secret to remove it'];
  if (clear_secret) return ['must not be sent together with clear_secret'];
  if (Buffer.byteLength(secret) > maxBytes) return [`must be at most ${maxBytes} bytes`];
  const { isValid, message } = secretRule(provider);
  if (!isValid(secret)) return [message];
  return canSeal ? [] : ['cannot be stored: set CONFIG_ENCRYPTION_KEY to 32 random bytes and restart the server'];
}

const { minOAuthCharacters: MIN_CHARS } = LIMITS.providerSecret;
const isLongEnough = (secret: string): boolean => [...secret].length >= MIN_CHARS;

/** A mail key is sent in a header. A PEM has several lines; the test action checks whether it contains a key. */
function secretRule(provider: Provider): FieldRule {
  if (provider === 'email_transport') {
    const isValid = (secret: string) => secret.startsWith('re_') && TEXT_FORMATS.token(secret);
    return { isValid, message: 'must begin with re_ and be printable ASCII without spaces' };
  }
  const isPem = PROVIDER_INFO[provider].secret === 'pem';
  const characters = isPem ? /^[\r\n\P{C}]+$/u : /^(?!\s)[^\p{C}\p{Zl}\p{Zp}]+(?<!\s)$/u;
  return {
    isValid: (secret) => isLongEnough(secret) && characters.test(secret),
    message: `must be at least ${MIN_CHARS} printable characters${isPem ? '' : ', without spaces at its ends'}`,
  };
}
