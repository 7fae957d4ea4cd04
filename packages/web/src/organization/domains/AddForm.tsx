import { LIMITS } from '@gatehouse/contract';
import { Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { reloadDomains } from './query.ts';
import { useText } from './text.ts';

/** Domains are often copied from an email address or a browser. */
const domainIn = (typed: string): string =>
  typed
    .trim()
    .replace(/^(?:https?:\/\/|.*@)/i, '')
    .replace(/\/.*$/, '');

const isDomain = (typed: string): boolean => /^[^\s.@/:]+(?:\.[^\s.@/:]+)+$/.test(typed);

export function AddForm({ onClose }: { onClose: () => void }) {
  const t = useText().add;
  const { organization_id } = useSession().user;
  const [typed, setTyped] = useState('');
  const [checked, setChecked] = useState(false);
  const domain = domainIn(typed);
  const add = useAction(async () => {
    const added = await client.domains.add(organization_id, { domain });
    await reloadDomains();
    showToast(t.added(added.domain));
    onClose();
  });
  useUnsaved(typed !== '' && !add.busy);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setChecked(true);
    if (isDomain(domain)) void add.run();
    else event.currentTarget.querySelector('input')?.focus();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t.domain}
          description={t.hint}
          required
          inputMode="url"
          maxLength={LIMITS.domain.name}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          error={checked && !isDomain(domain) && t.wrong}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ErrorNote error={add.error} sentences={{ invalid_input: t.refused, conflict: t.conflict }} />
        <FormButtons verb={t.verb} busy={add.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
