import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { saveFile } from '../../app/save-file.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Done } from '../Done.tsx';
import { useText } from './text.ts';

export function ExportPanel() {
  const t = useText().export;
  const [done, setDone] = useState(false);
  const download = useAction(async () => {
    setDone(false);
    const data = await client.account.exportData();
    saveFile(`gatehouse-${data.exported_at.slice(0, 10)}.json`, JSON.stringify(data, null, 2), 'application/json');
    setDone(true);
  });
  return (
    <Panel title={t.title} lead={t.lead}>
      <ErrorNote error={download.error} sentences={{ rate_limited: t.tooMany }} />
      <Group>
        <Button
          variant="default"
          leftSection={<Icon name="download" />}
          loading={download.busy}
          onClick={() => void download.run()}
        >
          {t.download}
        </Button>
        <Done>{done && t.done}</Done>
      </Group>
    </Panel>
  );
}
