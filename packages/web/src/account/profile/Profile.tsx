import { Stack } from '@mantine/core';
import { PageHead } from '../../app/PageHead.tsx';
import { useMe } from '../../app/session.ts';
import { EmailPanel } from './EmailPanel.tsx';
import { NamePanel } from './NamePanel.tsx';
import { PicturePanel } from './PicturePanel.tsx';
import { useText } from './text.ts';
import { Unverified } from './Unverified.tsx';

export function Page() {
  const t = useText();
  const { email_verified } = useMe();
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Stack>
        {!email_verified && <Unverified />}
        <PicturePanel />
        <NamePanel />
        <EmailPanel />
      </Stack>
    </>
  );
}
