import type { ProviderView } from '@gatehouse/contract';
import { Code, Group, List, Text } from '@mantine/core';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from './text.ts';

/** Where the provider wants to know of this service, and what to tell it. */
export function Registration({ view: { provider, name, callback_url } }: { view: ProviderView }) {
  const t = useText();
  const { where, notes } = t.guides[provider];
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
