import { Button } from '@mantine/core';
import { Frame } from '../Frame.tsx';
import { useText } from '../text.ts';

/** REGISTRATION=closed. */
export function Closed({ signIn }: { signIn: string }) {
  const t = useText();
  return (
    <Frame title={t.register.closedTitle} lead={t.register.closed}>
      <Button component="a" href={signIn}>
        {t.toSignIn}
      </Button>
    </Frame>
  );
}
