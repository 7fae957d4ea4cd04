import type { ProviderView } from '@gatehouse/contract';
import { Code, Group, List, Text } from '@mantine/core';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { guideOf } from './guide.ts';
import { useText } from './text.ts';

export function Registration({ view }: { view: ProviderView }) {
  const t = useText();
  const { name, callback_url } = view;
  const { where, notes } = guideOf(view, t);
  return (
    <Panel title={t.register(name)} lead={where}>
      {callback_url && (
        <div>
          <Text size="sm" fw={600}>
            {t.callback}
          </Text>
          <Text size="sm" c="dimmed" mb={6}>
            {t.callbackHelp}
          </Text>
          <Group gap="sm">
            <Code style={{ overflowWrap: 'anywhere' }}>{callback_url}</Code>
            <CopyButton value={callback_url} label={t.copyCallback} />
          </Group>
        </div>
      )}
      {notes.length > 0 && (
        <List size="sm">
          {notes.map((note) => (
            <List.Item key={note}>{note}</List.Item>
          ))}
        </List>
      )}
    </Panel>
  );
}
