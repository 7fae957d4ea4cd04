import { deviceName } from '../ui/device.ts';
import { useLanguage } from '../ui/language.tsx';
import { useWords } from '../ui/words.ts';
import { useResultText } from './results/text.ts';

interface Props {
  readonly at: string;
  /** Null if the device is unknown. */
  readonly device: string | null;
}

export function Created({ at, device }: Props) {
  const t = useResultText().reclaim;
  const words = useWords();
  const { language } = useLanguage();
  const date = new Date(at).toLocaleDateString(language, { dateStyle: 'long' });
  return device === null ? t.created(date) : t.createdFrom(date, deviceName(device, words));
}
