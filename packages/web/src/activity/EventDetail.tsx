import type { AuditRow } from '@gatehouse/contract';
import { Button, Code, Drawer, Group, Stack, Text } from '@mantine/core';
import { useFilters } from '../app/search.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { useWords } from '../ui/words.ts';
import classes from './Audit.module.css';
import { EventFacts } from './EventFacts.tsx';
import { NO_FILTERS } from './filters.ts';
import { useText } from './text.ts';
import { actionName } from './words.ts';

interface Props {
  /** Undefined: no event is selected yet. */
  readonly row: AuditRow | undefined;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function EventDetail({ row, opened, onClose }: Props) {
  const t = useText();
  const words = useWords();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="lg"
      title={row && actionName(row.action, t)}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      {row && <Content row={row} onClose={onClose} />}
    </Drawer>
  );
}

function Content({ row, onClose }: { row: AuditRow; onClose: () => void }) {
  const t = useText().detail;
  const [, setFilters] = useFilters();
  const narrow = (to: { user_id?: string; action?: string }) => {
    onClose();
    setFilters({ ...NO_FILTERS, ...to });
  };
  return (
    <Stack>
      <EventFacts row={row} />
      <div>
        <Text size="sm" c="dimmed" mb={4}>
          {t.metadata}
        </Text>
        {Object.keys(row.metadata).length === 0 ? (
          <Text size="sm">{t.none}</Text>
        ) : (
          <Code block className={classes.json}>
            {JSON.stringify(row.metadata, null, 2)}
          </Code>
        )}
      </div>
      <Group gap="sm">
        <CopyButton value={JSON.stringify(row, null, 2)} label={t.copyRow} />
        {row.actor_id !== null && (
          <Button variant="default" size="xs" onClick={() => narrow({ user_id: row.actor_id! })}>
            {t.onlyUser}
          </Button>
        )}
        <Button variant="default" size="xs" onClick={() => narrow({ action: row.action })}>
          {t.onlyAction}
        </Button>
      </Group>
    </Stack>
  );
}
