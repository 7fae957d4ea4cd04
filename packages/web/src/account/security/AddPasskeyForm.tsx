import { addPasskey, isGatehouseError } from '@gatehouse/client';
import { Stack, Text } from '@mantine/core';
import { FormButtons } from '../../app/FormButtons.tsx';
import { queries } from '../../app/query.ts';
import { PASSKEYS } from '../../app/step-up/sign-in-methods.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Note } from '../../ui/Note.tsx';
import { deviceKind } from './device-kind.ts';
import { PasskeyNameField } from './PasskeyNameField.tsx';
import { useText } from './text.ts';

export function AddPasskeyForm({ onAdded }: { onAdded: (name: string) => void }) {
  const t = useText().passkeys;
  const form = useForm({
    values: { name: t.devices[deviceKind(navigator)] as string },
    guarded: false,
    send: async ({ name }) => {
      const made = await addPasskey(client, { name: name.trim() });
      await queries.invalidateQueries({ queryKey: PASSKEYS.queryKey });
      onAdded(made.name);
    },
  });
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm">{t.addExplain}</Text>
        <Failure error={form.error} />
        <PasskeyNameField {...form.field('name')} />
        <FormButtons verb={t.goOn} busy={form.busy} />
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
