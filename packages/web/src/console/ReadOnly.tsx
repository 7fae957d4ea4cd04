import { Dimmed } from '../app/Dimmed.tsx';
import { useConsoleText } from './text.ts';

export function ReadOnly() {
  const t = useConsoleText();
  return <Dimmed>{t.readOnly}</Dimmed>;
}
