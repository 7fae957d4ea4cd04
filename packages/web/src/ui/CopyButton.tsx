import { Button, type ButtonProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './Icon.tsx';
import { useWords } from './words.ts';

interface Props extends ButtonProps {
  readonly value: string;
  /** Names what is copied, if a page has several buttons. */
  readonly label?: string;
}

export function CopyButton({ value, label, ...rest }: Props) {
  const t = useWords();
  const { copied, copy } = useClipboard();
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />}
      onClick={() => copy(value)}
      {...rest}
    >
      {/* Announced by screen readers after copying. */}
      <span aria-live="polite">{copied ? t.copied : (label ?? t.copy)}</span>
    </Button>
  );
}
