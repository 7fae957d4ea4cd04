import { Button } from '@mantine/core';
import { Frame } from '../Frame.tsx';
import { takeStowed } from '../invitation/kept.ts';
import { useText } from '../text.ts';

// An invitation that was laid aside was for whoever has just left.
takeStowed();

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
