import { isGatehouseError } from '@gatehouse/client';
import { LIMITS, PROVIDER_INFO, type ProviderChange, type ProviderField, type ProviderView } from '@gatehouse/contract';
import { guideOf } from './guide.ts';
import type { Text } from './text/en.ts';

/** The required fields, then the optional ones. */
export function fieldsOf({ provider }: ProviderView): readonly ProviderField[] {
  const { required, optional = [] } = PROVIDER_INFO[provider];
  return [...required, ...optional];
}

/** What is wrong with a field, in words, by its name. */
export type Faults = Partial<Record<ProviderField | 'secret', string>>;

/** What would be refused, or saved and of no use, said before anything is sent. */
export function faultsIn(change: ProviderChange, view: ProviderView, t: Text): Faults {
  const faults: Faults = {};
  const { enabled, public_config = {}, secret } = change;
  for (const name of PROVIDER_INFO[view.provider].required) {
    if (enabled && !public_config[name]) faults[name] = t.fieldNeeded;
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
  for (const name of fieldsOf(view)) {
    if (named.has(`public_config.${name}`)) faults[name] = t.fields[name].wrong;
  }
  if (named.has('secret')) faults.secret = guideOf(view, t).secretWrong;
  return faults;
}
