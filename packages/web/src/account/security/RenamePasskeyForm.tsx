import type { Passkey } from '@gatehouse/contract';
import { Stack } from '@mantine/core';
import { FormButtons } from '../../app/FormButtons.tsx';
import { queries } from '../../app/query.ts';
import { PASSKEYS } from '../../app/step-up/sign-in-methods.ts';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';
import { PasskeyNameField } from './PasskeyNameField.tsx';
import { useText } from './text.ts';

export function RenamePasskeyForm({ passkey: { id, name } }: { passkey: Passkey }) {
  const t = useText().passkeys;
  const words = useWords();
  const close = useCloseDialog();
  const form = useForm({
    values: { name },
    send: async (typed) => {
      await client.passkeys.rename(id, typed.name.trim());
      await queries.invalidateQueries({ queryKey: PASSKEYS.queryKey });
      close();
    },
  });
  return (
    <form {...form.props}>
      <Stack>
        <ErrorNote error={form.error} sentences={{ invalid_input: t.nameWrong }} />
        <PasskeyNameField {...form.field('name')} />
        <FormButtons verb={words.save} busy={form.busy} />
      </Stack>
    </form>
  );
}
