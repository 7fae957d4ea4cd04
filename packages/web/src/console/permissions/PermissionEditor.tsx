import type { Permission } from '@gatehouse/contract';
import { Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CreateDialog, DialogButton } from '../../app/CreateDialog.tsx';
import { DialogForm } from '../../app/DialogForm.tsx';
import { queries } from '../../app/query.ts';
import { showToast } from '../../app/toast-store.ts';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { isOfService, isPermissionName } from '../../roles/permissions.ts';
import { client } from '../../ui/client.ts';
import { useWords } from '../../ui/words.ts';
import { PERMISSIONS_QUERY } from './query.ts';
import { useText } from './text.ts';

export function CreatePermission() {
  return (
    <CreateDialog verb={useText().permissions.create}>
      <Form />
    </CreateDialog>
  );
}

export function EditPermission({ permission }: { permission: Permission }) {
  const t = useText().permissions;
  const { name } = permission;
  return (
    <DialogButton size="xs" verb={t.edit} label={`${t.edit}: ${name}`} title={t.editTitle(name)}>
      <Form permission={permission} />
    </DialogButton>
  );
}

interface Props {
  /** Undefined for a new permission. */
  readonly permission?: Permission;
}

function Form({ permission }: Props) {
  const t = useText().permissions;
  const words = useWords();
  const close = useCloseDialog();
  const { data } = useQuery(PERMISSIONS_QUERY);
  const faultOf = (name: string) => {
    if (permission) return undefined;
    if (!isPermissionName(name)) return t.nameWrong;
    if (isOfService(name)) return t.reserved;
    // Saving is a PUT, which would replace the description of an existing permission.
    return data?.items.some((other) => other.name === name) ? t.exists : undefined;
  };
  const form = useForm({
    values: { name: permission?.name ?? '', description: permission?.description ?? '' },
    check: ({ name }) => ({ name: faultOf(name.trim()) }),
    send: async ({ name, description }) => {
      const save = async (text: string | null) => {
        await client.permissions.save(name.trim(), { description: text });
        await queries.invalidateQueries(PERMISSIONS_QUERY);
      };
      await save(description.trim() || null);
      showToast(t.saved(name.trim()), permission && (() => save(permission.description)));
      close();
    },
  });
  return (
    <DialogForm
      form={form}
      verb={permission ? words.save : t.createVerb}
      sentences={{ conflict: t.full, rate_limited: t.limited }}
    >
      {!permission && (
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          maxLength={80}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          {...form.field('name')}
        />
      )}
      <Textarea
        label={`${t.description} (${t.optional})`}
        maxLength={500}
        autosize
        minRows={2}
        maxRows={6}
        data-autofocus={permission !== undefined || undefined}
        {...form.field('description')}
      />
    </DialogForm>
  );
}
