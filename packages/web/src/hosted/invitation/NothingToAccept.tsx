import { Button } from '@mantine/core';
import { Frame } from '../Frame.tsx';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';
import type { Over } from './find.ts';

export function NothingToAccept({ why }: { why: Over }) {
  const t = useText();
  return (
    <Frame title={t.invitation.over[why].title} lead={t.invitation.over[why].lead}>
      <Button component="a" href={ACCOUNT}>
        {t.toAccount}
      </Button>
      <Button component="a" href="/" variant="default">
        {t.toHome}
      </Button>
    </Frame>
  );
}
