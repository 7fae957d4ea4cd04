import type { FeatureFlag } from '@gatehouse/contract';
import { Group, Switch, Text } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { reloadFlags } from './query.ts';
import { useText } from './text.ts';

interface Props {
  readonly row: FeatureFlag;
  readonly title: string;
}

/** Turns a flag on or off immediately. The value stays unchanged. */
export function FlagSwitch({ row, title }: Props) {
  const t = useText();
  const change = useAction(async (enabled: boolean) => {
    await client.flags.save({ ...row, enabled });
    await reloadFlags();
  });
  return (
    <>
      <Group gap="xs">
        <Switch
          aria-label={t.switchLabel(row.flag_key, title)}
          checked={row.enabled}
          onChange={(event) => void change.run(event.currentTarget.checked)}
        />
        <Text size="sm" aria-hidden>
          {row.enabled ? t.on : t.off}
        </Text>
      </Group>
      <ErrorNote error={change.error} sentences={{ invalid_input: t.organizationGone }} />
    </>
  );
}
