import { addPasskey, isGatehouseError } from '@gatehouse/client';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { PASSKEYS } from '../../app/proof/ways-in.ts';
import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote, Note } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { deviceKind } from './device-kind.ts';
import { useText } from './text.ts';

interface Props {
  readonly onClose: () => void;
  readonly onAdded: (name: string) => void;
}

export function AddPasskeyForm({ onClose, onAdded }: Props) {
  const t = useText().passkeys;
  const words = useWords();
  const [name, setName] = useState(t.devices[deviceKind(navigator)]);
  const add = useAction(
    async () => {
      const made = await addPasskey(client, { name: name.trim() });
      await queries.invalidateQueries({ queryKey: PASSKEYS.queryKey });
      onAdded(made.name);
    },
    { needs: 'fresh-sign-in' },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void add.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.addExplain}</Text>
        <Failure error={add.error} />
        <TextInput
          label={t.name}
          required
          maxLength={120}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={add.busy}>
            {t.goOn}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Either the service has refused, or the browser: it says why by the name of its error. */
function Failure({ error }: { error: unknown }) {
  const t = useText().passkeys;
  if (error === undefined) return null;
  if (isGatehouseError(error)) {
    const invalid = error.fields.includes('name') ? t.nameWrong : t.refused;
    return <ErrorNote error={error} sentences={{ invalid_input: invalid, conflict: t.tooMany }} />;
  }
  const name = error instanceof Error ? error.name : '';
  const reasons: Record<string, string> = {
    NotAllowedError: t.cancelled,
    AbortError: t.cancelled,
    InvalidStateError: t.known,
    SecurityError: t.noHost,
  };
  return <Note>{reasons[name] ?? t.failed}</Note>;
}
