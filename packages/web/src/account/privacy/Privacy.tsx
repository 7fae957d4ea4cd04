import { Stack } from '@mantine/core';
import { PageHead } from '../../app/PageHead.tsx';
import { DeletePanel } from './DeletePanel.tsx';
import { ExportPanel } from './ExportPanel.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Stack>
        <ExportPanel />
        <DeletePanel />
      </Stack>
    </>
  );
}
