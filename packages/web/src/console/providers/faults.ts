import { isGatehouseError } from '@gatehouse/client';
import { LIMITS, type ProviderChange, type ProviderView } from '@gatehouse/contract';
import { FIELDS, type FieldName } from './fields.ts';
import type { Text } from './text/en.ts';

/** What is wrong with a field, in words, by its name. */
export type Faults = Partial<Record<FieldName | 'secret', string>>;

/** What would be refused, or saved and of no use, said before anything is sent. */
export function faultsIn(change: ProviderChange, view: ProviderView, t: Text): Faults {
  const faults: Faults = {};
  const { enabled, public_config = {}, secret } = change;
  for (const { name, required } of FIELDS[view.provider]) {
    if (enabled && required && !public_config[name]) faults[name] = t.fieldNeeded;
  }
  if (enabled && !secret && !view.secret_set) faults.secret = t.secretNeeded;
  if (secret && new TextEncoder().encode(secret).length > LIMITS.providerSecret.maxBytes)
    faults.secret = t.secretTooLong;
  return faults;
}

/** What the service has found: it names each field, and we say what the field is to be like. */
export function faultsOf(error: unknown, view: ProviderView, t: Text): Faults {
  const faults: Faults = {};
  if (!isGatehouseError(error, 'invalid_input')) return faults;
  const named = new Set(error.fields);
  for (const { name } of FIELDS[view.provider]) {
    if (named.has(`public_config.${name}`)) faults[name] = t.fields[name].wrong;
  }
  if (named.has('secret')) faults.secret = t.guides[view.provider].secretWrong;
  return faults;
}
