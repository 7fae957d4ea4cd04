import { PROVIDER_INFO, type ProviderView } from '@gatehouse/contract';
import type { Guide, Text } from './text/en.ts';

export function guideOf({ provider, name }: ProviderView, t: Text): Guide {
  const guides: Readonly<Partial<Record<string, Guide>>> = t.guides;
  return guides[PROVIDER_INFO[provider].key] ?? t.anyGuide(name);
}
