import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { bodyOf, faultsIn, ProviderFields, sentencesFor, type Typed } from './ProviderFields.tsx';
import { LIST, reloadConnections } from './query.ts';
import { useText } from './text.ts';

const EMPTY: Typed = { name: '', issuer: '', client_id: '', client_secret: '' };

/** Creates a draft of a connection and opens its page, which has the other steps. */
export function CreateForm({ onClose }: { onClose: () => void }) {
  const t = useText();
  const navigate = useNavigate();
  const { organization_id } = useSession().user;
  const [typed, setTyped] = useState(EMPTY);
  const [checked, setChecked] = useState(false);
  const faults = faultsIn(typed, t);
  const create = useAction(async () => {
    const { id, name } = await client.ssoConnections.create(organization_id, bodyOf(typed));
    await reloadConnections();
    showToast(t.created(name));
    onClose();
    await navigate({ to: `${LIST}/${id}` });
  });
  useUnsaved(JSON.stringify(typed) !== JSON.stringify(EMPTY) && !create.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (Object.keys(faults).length === 0) void create.run();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <ProviderFields value={typed} onChange={setTyped} faults={checked ? faults : {}} secretHint={t.secretHint} />
        <ErrorNote error={create.error} sentences={{ ...sentencesFor(create.error, t), conflict: t.full }} />
        <FormButtons verb={t.createVerb} busy={create.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
