import type { ServiceAccount } from '@gatehouse/contract';
import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { rolesQuery } from '../roles/query.ts';
import { RoleChecks } from '../roles/RoleChecks.tsx';
import { reloadMachines } from './query.ts';
import { useText } from './text.ts';

interface Props {
  /** Undefined for a new service account. */
  readonly account?: ServiceAccount | undefined;
}

export function AccountEditor({ account }: Props) {
  const t = useText().form;
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      {account ? (
        <Button variant="default" onClick={open}>
          {t.edit}
        </Button>
      ) : (
        <Button leftSection={<Icon name="add" />} onClick={open}>
          {t.create}
        </Button>
      )}
      <FormDialog opened={opened} onClose={close} title={account ? t.editTitle(account.name) : t.create}>
        <Form account={account} onClose={close} />
      </FormDialog>
    </>
  );
}

const hasSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));

function Form({ account, onClose }: Props & { onClose: () => void }) {
  const t = useText().form;
  const words = useWords();
  const navigate = useNavigate();
  const { organization_id } = useSession().user;
  const roles = useSuspenseQuery(rolesQuery(organization_id)).data.items;
  const before = {
    name: account?.name ?? '',
    description: account?.description ?? '',
    role_ids: account?.roles.map(({ id }) => id) ?? [],
  };
  const [name, setName] = useState(before.name);
  const [description, setDescription] = useState(before.description);
  const [role_ids, setRoleIds] = useState<readonly string[]>(before.role_ids);
  const body = { name: name.trim(), description: description.trim() || null, role_ids: [...role_ids] };
  const save = useAction(async () => {
    if (account) {
      await client.serviceAccounts.change(organization_id, account.id, body);
      await reloadMachines();
      showToast(t.saved(body.name), async () => {
        await client.serviceAccounts.change(organization_id, account.id, {
          ...before,
          description: account.description,
        });
        await reloadMachines();
      });
      onClose();
      return;
    }
    const created = await client.serviceAccounts.create(organization_id, body);
    await reloadMachines();
    showToast(t.made(created.name));
    onClose();
    // Opens the page of the new account, where its first key is created.
    await navigate({ to: `/organization/machines/${created.id}` });
  });
  const isChanged = name !== before.name || description !== before.description || !hasSame(role_ids, before.role_ids);
  useUnsaved(isChanged && !save.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          maxLength={120}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          label={`${t.description} (${t.optional})`}
          maxLength={500}
          autosize
          minRows={2}
          maxRows={6}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          {t.always}
        </Text>
        {roles.length > 0 && <RoleChecks roles={roles} value={role_ids} onChange={setRoleIds} />}
        <ErrorNote
          error={save.error}
          sentences={{
            conflict: t.full,
            forbidden: t.forbidden,
            ...(role_ids.length > 0 && { invalid_input: t.gone }),
          }}
        />
        <FormButtons verb={account ? words.save : t.createVerb} busy={save.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
