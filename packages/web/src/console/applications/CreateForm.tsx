import { type ApplicationKind, LIMITS } from '@gatehouse/contract';
import { Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { redirectFault } from './faults.ts';
import { KindField } from './KindField.tsx';
import { reloadApplications } from './query.ts';
import { useText } from './text.ts';
import { UrisField } from './UrisField.tsx';
import { linesOf } from './uris.ts';

/** The scopes of a new application: enough to sign users in. Others can be added in its settings. */
const FIRST_SCOPES = ['openid', 'profile', 'email'];

export function CreateForm({ onCancel }: { onCancel: () => void }) {
  const t = useText();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<ApplicationKind>('web');
  const [uris, setUris] = useState('');
  const [checked, setChecked] = useState(false);
  const fault = redirectFault(uris, kind, t);
  const create = useAction(async () => {
    const { id } = await client.applications.create({
      name: name.trim(),
      kind,
      redirect_uris: linesOf(uris),
      scopes: FIRST_SCOPES,
    });
    await reloadApplications();
    await navigate({ to: `/console/applications/${id}` });
  });
  useUnsaved((name !== '' || uris !== '') && !create.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!fault) void create.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t.createLead}
        </Text>
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          maxLength={LIMITS.application.name}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <KindField value={kind} onChange={setKind} />
        <UrisField
          label={t.redirectUris}
          description={kind === 'native' ? `${t.redirectUrisHint} ${t.redirectUrisNative}` : t.redirectUrisHint}
          required
          error={checked ? fault : undefined}
          value={uris}
          onChange={setUris}
        />
        <ErrorNote
          error={create.error}
          sentences={{ conflict: t.conflict, invalid_input: t.rejected, rate_limited: t.limited }}
        />
        <FormButtons verb={t.createVerb} busy={create.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
