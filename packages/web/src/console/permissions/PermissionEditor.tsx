import type { Permission } from '@gatehouse/contract';
import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { queries } from '../../app/query.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { isOfService, isPermissionName } from '../../roles/permissions.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { PERMISSIONS_QUERY } from './query.ts';
import { useText } from './text.ts';

interface Props {
  /** Undefined for a new permission. */
  readonly permission?: Permission;
}

export function PermissionEditor({ permission }: Props) {
  const t = useText().permissions;
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      {permission ? (
        <Button variant="default" size="xs" aria-label={`${t.edit}: ${permission.name}`} onClick={open}>
          {t.edit}
        </Button>
      ) : (
        <Button leftSection={<Icon name="add" />} onClick={open}>
          {t.create}
        </Button>
      )}
      <FormDialog opened={opened} onClose={close} title={permission ? t.editTitle(permission.name) : t.create}>
        <Form {...(permission && { permission })} onClose={close} />
      </FormDialog>
    </>
  );
}

function Form({ permission, onClose }: Props & { onClose: () => void }) {
  const t = useText().permissions;
  const words = useWords();
  const [name, setName] = useState(permission?.name ?? '');
  const [description, setDescription] = useState(permission?.description ?? '');
  const [checked, setChecked] = useState(false);
  const { data } = useQuery(PERMISSIONS_QUERY);
  const given = name.trim();
  const isTaken = data?.items.some((other) => other.name === given);
  const faultOf = () => {
    if (permission) return undefined;
    if (!isPermissionName(given)) return t.nameWrong;
    if (isOfService(given)) return t.reserved;
    // Saving is a PUT, which would replace the description of an existing permission.
    return isTaken ? t.exists : undefined;
  };
  const fault = faultOf();
  const save = async (text: string | null) => {
    await client.permissions.save(given, { description: text });
    await queries.invalidateQueries(PERMISSIONS_QUERY);
  };
  const change = useAction(async () => {
    await save(description.trim() || null);
    showToast(t.saved(given), permission && (() => save(permission.description)));
    onClose();
  });
  const isChanged = name !== (permission?.name ?? '') || description !== (permission?.description ?? '');
  useUnsaved(isChanged && !change.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!fault) void change.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
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
            error={checked && fault}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <Textarea
          label={`${t.description} (${t.optional})`}
          maxLength={500}
          autosize
          minRows={2}
          maxRows={6}
          data-autofocus={permission !== undefined || undefined}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <ErrorNote error={change.error} sentences={{ conflict: t.full, rate_limited: t.limited }} />
        <FormButtons verb={permission ? words.save : t.createVerb} busy={change.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
