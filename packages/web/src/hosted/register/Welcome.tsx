import { Button } from '@mantine/core';
import { useWords } from '../../ui/words.ts';
import { Frame } from '../Frame.tsx';
import { useText } from '../text.ts';

interface Props {
  readonly email: string;
  readonly target: string;
}

/** They are signed in, and go on from here; the mail can wait. */
export function Welcome({ email, target }: Props) {
  const t = useText().register;
  const words = useWords();
  return (
    <Frame title={t.doneTitle} lead={t.done(email)}>
      <Button component="a" href={target}>
        {words.continue}
      </Button>
    </Frame>
  );
}
