import { Button } from '@mantine/core';
import { Frame } from '../Frame.tsx';
import { takeStored } from '../invitation/stored-token.ts';
import { useText } from '../text.ts';

// A stored invitation belongs to the user who has just signed out.
takeStored();

export function Page() {
  const t = useText();
  return (
    <Frame title={t.signedOut.title} lead={t.signedOut.lead}>
      <Button component="a" href="/sign-in">
        {t.signedOut.again}
      </Button>
      <Button component="a" href="/" variant="default">
        {t.toHome}
      </Button>
    </Frame>
  );
}
