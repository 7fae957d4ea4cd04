import { Stack } from '@mantine/core';
import { PageHead } from '../../app/PageHead.tsx';
import { BrowsersPanel } from './BrowsersPanel.tsx';
import { SessionsPanel } from './SessionsPanel.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Stack>
        <SessionsPanel />
        <BrowsersPanel />
      </Stack>
    </>
  );
}
