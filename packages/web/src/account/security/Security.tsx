import { Stack } from '@mantine/core';
import { PageHead } from '../../app/PageHead.tsx';
import { IdentitiesPanel } from './IdentitiesPanel.tsx';
import { PasskeysPanel } from './PasskeysPanel.tsx';
import { PasswordPanel } from './PasswordPanel.tsx';
import { TwoStepPanel } from './TwoStepPanel.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Stack>
        <PasswordPanel />
        <TwoStepPanel />
        <PasskeysPanel />
        <IdentitiesPanel />
      </Stack>
    </>
  );
}
