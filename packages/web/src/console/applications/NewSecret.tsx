import { Button, Code, Group, Select, Stack, Text } from '@mantine/core';
import { DialogForm } from '../../app/DialogForm.tsx';
import { useForm } from '../../app/use-form.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { client } from '../../ui/client.ts';
import { reloadApplications } from './query.ts';
import { useText } from './text.ts';

const DAY_MS = 86_400_000;
const LIFETIME_DAYS = { never: null, days90: 90, year: 365 } as const;
type Lifetime = keyof typeof LIFETIME_DAYS;
const LIFETIMES = Object.keys(LIFETIME_DAYS) as Lifetime[];

interface Props {
  readonly application_id: string;
  readonly onCreated: (secret: string) => void;
}

export function NewSecret({ application_id, onCreated }: Props) {
  const t = useText().secrets;
  const form = useForm({
    values: { lifetime: 'never' as Lifetime },
    guarded: false,
    send: async ({ lifetime }) => {
      const days = LIFETIME_DAYS[lifetime];
      const body = days === null ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
      const { secret } = await client.applications.createSecret(application_id, body);
      onCreated(secret);
      await reloadApplications();
    },
  });
  return (
    <DialogForm form={form} verb={t.create} sentences={{ conflict: t.full }}>
      <Select
        label={t.lifetime}
        data={LIFETIMES.map((value) => ({ value, label: t.lifetimes[value] }))}
        allowDeselect={false}
        value={form.values.lifetime}
        onChange={(lifetime) => lifetime && form.set({ lifetime })}
      />
    </DialogForm>
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
