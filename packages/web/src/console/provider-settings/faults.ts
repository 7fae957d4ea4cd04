import { LIMITS, PROVIDER_INFO, type ProviderChange, type ProviderField, type ProviderView } from '@gatehouse/contract';
import { guideOf } from './guide.ts';
import type { Text } from './text/en.ts';

/** The required fields, then the optional ones. */
export function fieldsOf({ provider }: ProviderView): readonly ProviderField[] {
  const { required, optional = [] } = PROVIDER_INFO[provider];
  return [...required, ...optional];
}

type Faults = Partial<Record<ProviderField | 'secret', string>>;

/** Returns the errors of values that the service would reject, or that would be useless, before they are sent. */
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

/** Returns the sentence at each field for the case that the service rejects its value. */
export const refusalsOf = (view: ProviderView, t: Text): Faults => ({
  ...Object.fromEntries(fieldsOf(view).map((name) => [name, t.fields[name].wrong])),
  secret: guideOf(view, t).secretWrong,
});
