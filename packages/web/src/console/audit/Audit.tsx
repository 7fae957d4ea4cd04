import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMemo } from 'react';
import { PageHead } from '../../app/PageHead.tsx';
import { usePlatformRole } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useWords } from '../../ui/words.ts';
import { useConsoleText } from '../text.ts';
import { UserSelect } from '../UserSelect.tsx';
import { AuditLog } from './AuditLog.tsx';
import { ExportForm } from './ExportForm.tsx';
import { type AuditSource, AuditSourceContext } from './source.ts';
import { useText } from './text.ts';
import { UserName } from './UserName.tsx';
import { anonymousName } from './words.ts';

export function Page() {
  const t = useText();
  // Loads this text with the page: a component that suspends for it later would replace the page by the fallback.
  useConsoleText();
  const mayExport = usePlatformRole('admin');
  const source: AuditSource = useMemo(
    () => ({
      key: ['audit'],
      list: (query) => client.audit.list(query),
      UserField: UserSelect,
      UserName,
      hasConsole: true,
      anonymous: (row) => anonymousName(row, t),
    }),
    [t],
  );
  return (
    <AuditSourceContext value={source}>
      <PageHead title={t.title} lead={t.lead} actions={mayExport && <Export />} />
      <AuditLog />
    </AuditSourceContext>
  );
}

function Export() {
  const t = useText().export;
  const words = useWords();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<Icon name="download" />} onClick={open}>
        {t.open}
      </Button>
      <Modal opened={opened} onClose={close} title={t.title} size="lg" closeButtonProps={{ 'aria-label': words.close }}>
        <ExportForm />
      </Modal>
    </>
  );
}
