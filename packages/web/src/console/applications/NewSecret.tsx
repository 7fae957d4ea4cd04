import { Button, Code, Group, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { reloadApplications } from './query.ts';
import { useText } from './text.ts';

const DAY_MS = 86_400_000;
const LIFETIME_DAYS = { never: null, days90: 90, year: 365 } as const;
type Lifetime = keyof typeof LIFETIME_DAYS;
const LIFETIMES = Object.keys(LIFETIME_DAYS) as Lifetime[];

interface Props {
  readonly application_id: string;
  readonly onCreated: (secret: string) => void;
  readonly onCancel: () => void;
}

export function NewSecret({ application_id, onCreated, onCancel }: Props) {
  const t = useText().secrets;
  const [lifetime, setLifetime] = useState<Lifetime>('never');
  const create = useAction(async () => {
    const days = LIFETIME_DAYS[lifetime];
    const body = days === null ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
    const { secret } = await client.applications.createSecret(application_id, body);
    onCreated(secret);
    await reloadApplications();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void create.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Select
          label={t.lifetime}
          data={LIFETIMES.map((value) => ({ value, label: t.lifetimes[value] }))}
          value={lifetime}
          allowDeselect={false}
          onChange={(next) => setLifetime(LIFETIMES.find((value) => value === next) ?? lifetime)}
        />
        <ErrorNote error={create.error} sentences={{ conflict: t.full }} />
        <FormButtons verb={t.create} busy={create.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

export function SecretOnce({ secret, onSaved }: { secret: string; onSaved: () => void }) {
  const t = useText().secrets;
  return (
    <Stack>
      <Text size="sm">{t.shown}</Text>
      <Code block aria-label={t.label} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {secret}
      </Code>
      <Group justify="space-between">
        <CopyButton value={secret} label={t.copy} size="sm" data-autofocus />
        <Button onClick={onSaved}>{t.done}</Button>
      </Group>
    </Stack>
  );
}
