import type { ServiceAccount } from '@gatehouse/contract';
import { Textarea, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CreateDialog, DialogButton } from '../../app/CreateDialog.tsx';
import { DialogForm } from '../../app/DialogForm.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { useWords } from '../../ui/words.ts';
import { rolesQuery } from '../roles/query.ts';
import { RoleChecks } from '../roles/RoleChecks.tsx';
import { reloadMachines } from './query.ts';
import { useText } from './text.ts';

export function CreateAccount() {
  return (
    <CreateDialog verb={useText().form.create}>
      <Form />
    </CreateDialog>
  );
}

export function EditAccount({ account }: { account: ServiceAccount }) {
  const t = useText().form;
  return (
    <DialogButton verb={t.edit} title={t.editTitle(account.name)}>
      <Form account={account} />
    </DialogButton>
  );
}

interface Props {
  /** Undefined for a new service account. */
  readonly account?: ServiceAccount;
}

function Form({ account }: Props) {
  const t = useText().form;
  const words = useWords();
  const navigate = useNavigate();
  const close = useCloseDialog();
  const { organization_id } = useSession().user;
  const roles = useSuspenseQuery(rolesQuery(organization_id)).data.items;
  const values = {
    name: account?.name ?? '',
    description: account?.description ?? '',
    role_ids: (account?.roles.map(({ id }) => id) ?? []) as readonly string[],
  };
  const bodyOf = ({ name, description, role_ids }: typeof values) => ({
    name: name.trim(),
    description: description.trim() || null,
    role_ids: [...role_ids],
  });
  const change = async (id: string, next: typeof values) => {
    await client.serviceAccounts.change(organization_id, id, bodyOf(next));
    await reloadMachines();
  };
  const form = useForm({
    values,
    send: async (typed) => {
      if (account) {
        await change(account.id, typed);
        showToast(t.saved(typed.name.trim()), () => change(account.id, values));
        close();
        return;
      }
      const created = await client.serviceAccounts.create(organization_id, bodyOf(typed));
      await reloadMachines();
      showToast(t.made(created.name));
      close();
      // Opens the page of the new account, where its first key is created.
      await navigate({ to: `/organization/machines/${created.id}` });
    },
  });
  return (
    <DialogForm
      form={form}
      verb={account ? words.save : t.createVerb}
      sentences={{
        conflict: t.full,
        forbidden: t.forbidden,
        ...(form.values.role_ids.length > 0 && { invalid_input: t.gone }),
      }}
    >
      <TextInput
        label={t.name}
        description={t.nameHint}
        required
        maxLength={120}
        autoComplete="off"
        data-autofocus
        {...form.field('name')}
      />
      <Textarea
        label={`${t.description} (${t.optional})`}
        maxLength={500}
        autosize
        minRows={2}
        maxRows={6}
        {...form.field('description')}
      />
      <Dimmed>{t.always}</Dimmed>
      {roles.length > 0 && <RoleChecks roles={roles} {...form.field('role_ids')} />}
    </DialogForm>
  );
}
