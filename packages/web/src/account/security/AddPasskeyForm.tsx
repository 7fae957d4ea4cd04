import { addPasskey, isGatehouseError } from '@gatehouse/client';
import { Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { queries } from '../../app/query.ts';
import { PASSKEYS } from '../../app/step-up/sign-in-methods.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Note } from '../../ui/Note.tsx';
import { useAction } from '../../ui/use-action.ts';
import { deviceKind } from './device-kind.ts';
import { PasskeyNameField } from './PasskeyNameField.tsx';
import { useText } from './text.ts';

interface Props {
  readonly onClose: () => void;
  readonly onAdded: (name: string) => void;
}

export function AddPasskeyForm({ onClose, onAdded }: Props) {
  const t = useText().passkeys;
  const [name, setName] = useState(t.devices[deviceKind(navigator)]);
  const add = useAction(async () => {
    const made = await addPasskey(client, { name: name.trim() });
    await queries.invalidateQueries({ queryKey: PASSKEYS.queryKey });
    onAdded(made.name);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void add.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.addExplain}</Text>
        <Failure error={add.error} />
        <PasskeyNameField value={name} onChange={setName} />
        <FormButtons verb={t.goOn} busy={add.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}

/** Shows an error of the service or of the browser. Errors of the browser are distinguished by their `name`. */
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
