import type { Passkey } from '@gatehouse/contract';
import { Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { queries } from '../../app/query.ts';
import { PASSKEYS } from '../../app/step-up/sign-in-methods.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { PasskeyNameField } from './PasskeyNameField.tsx';
import { useText } from './text.ts';

interface Props {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}

export function RenamePasskeyForm({ passkey, onClose }: Props) {
  const t = useText().passkeys;
  const words = useWords();
  const [name, setName] = useState(passkey.name);
  const rename = useAction(async () => {
    await client.passkeys.rename(passkey.id, name.trim());
    await queries.invalidateQueries({ queryKey: PASSKEYS.queryKey });
    onClose();
  });
  useUnsaved(name !== passkey.name && !rename.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void rename.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <ErrorNote error={rename.error} sentences={{ invalid_input: t.nameWrong }} />
        <PasskeyNameField value={name} onChange={setName} />
        <FormButtons verb={words.save} busy={rename.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
