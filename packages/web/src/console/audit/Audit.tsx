import { useMemo } from 'react';
import { AuditLog } from '../../activity/AuditLog.tsx';
import { type AuditSource, AuditSourceContext } from '../../activity/source.ts';
import { useText } from '../../activity/text.ts';
import { anonymousName } from '../../activity/words.ts';
import { DialogButton } from '../../app/CreateDialog.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePlatformRole } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { Icon } from '../../ui/Icon.tsx';
import { UserSelect } from '../UserSelect.tsx';
import { ExportForm } from './ExportForm.tsx';
import { UserName } from './UserName.tsx';

export function Page() {
  const t = useText();
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
  return (
    <DialogButton leftSection={<Icon name="download" />} verb={t.open} title={t.title} wide tall>
      <ExportForm />
    </DialogButton>
  );
}
