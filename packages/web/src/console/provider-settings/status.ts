import type { ProviderView } from '@gatehouse/contract';
import type { Tone } from '../../app/Tag.tsx';
import type { Text as Shared } from '../text/en.ts';
import type { Text } from './text/en.ts';

interface Status {
  readonly tone: Tone;
  readonly word: string;
  readonly sentence: string;
}

export function statusOf(view: ProviderView, t: Text, shared: Shared): Status {
  const { degraded_reason, source, updated_at, provider } = view;
  if (degraded_reason) {
    const meanwhile = source === 'environment' ? t.meanwhile : provider === 'email_transport' ? '' : t.notOffered;
    return { tone: 'warn', word: t.degraded, sentence: `${shared.degraded[degraded_reason].why} ${meanwhile}`.trim() };
  }
  if (source !== null)
    return { tone: 'good', word: t.on, sentence: source === 'stored' ? t.byStored : t.byEnvironment };
  if (updated_at !== null) return { tone: 'plain', word: t.off, sentence: t.switchedOff };
  return { tone: 'plain', word: t.off, sentence: provider === 'email_transport' ? t.mailElsewhere : t.neverSet };
}
