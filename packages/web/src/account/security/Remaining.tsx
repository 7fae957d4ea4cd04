import { Text } from '@mantine/core';
import { Hint } from '../Hint.tsx';
import { useText } from './text.ts';

const FEW = 3;

/** How many recovery codes are left, and in good time what to do about it. */
export function Remaining({ count }: { count: number }) {
  const t = useText().mfa;
  const sentence = count === 0 ? t.noneLeft : t.remaining(count);
  if (count > FEW) return <Text size="sm">{sentence}</Text>;
  return (
    <Hint urgent>
      {sentence} {t.few}
    </Hint>
  );
}
