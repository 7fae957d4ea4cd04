import type { NewRole, Role } from '@gatehouse/contract';
import { Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../app/FormButtons.tsx';
import { SlugField } from '../app/SlugField.tsx';
import { isSlug } from '../app/slug.ts';
import { useText as useAppText } from '../app/text.ts';
import { showToast } from '../app/toast-store.ts';
import { useUnsaved } from '../app/unsaved.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useAction } from '../ui/use-action.ts';
import { useWords } from '../ui/words.ts';
import { PermissionField } from './PermissionField.tsx';
import type { Choice } from './permissions.ts';
import { useText } from './text.ts';

export interface RoleFormProps {
  /** Undefined: a new role. */
  readonly role?: Role | undefined;
  readonly choices: readonly Choice[];
  readonly mayGive: (name: string) => boolean;
  /** Saves, and reloads the list. */
  readonly save: (body: NewRole) => Promise<void>;
  readonly onClose: () => void;
}

/** Returns the request that restores a role as it was before a change. */
const bodyOf = ({ name, slug, description, permissions }: Role): NewRole => ({ name, slug, description, permissions });

const sorted = (names: readonly string[]): string => [...names].sort().join(' ');

export function RoleForm({ role, choices, mayGive, save, onClose }: RoleFormProps) {
  const t = useText();
  const words = useWords();
  const slugs = useAppText().slug;
  const [name, setName] = useState(role?.name ?? '');
  const [slug, setSlug] = useState(role?.slug ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [permissions, setPermissions] = useState<readonly string[]>(role?.permissions ?? []);
  const [checked, setChecked] = useState(false);
  const isWrong = slug.trim() === '' ? role !== undefined : !isSlug(slug.trim());
  const change = useAction(async () => {
    await save({
      name: name.trim(),
      ...(slug.trim() !== '' && { slug: slug.trim() }),
      description: description.trim() || null,
      permissions: [...permissions],
    });
    if (role) showToast(t.saved(name.trim()), () => save(bodyOf(role)));
    else showToast(t.created(name.trim()));
    onClose();
  });
  const isChanged =
    name !== (role?.name ?? '') ||
    slug !== (role?.slug ?? '') ||
    description !== (role?.description ?? '') ||
    sorted(permissions) !== sorted(role?.permissions ?? []);
  useUnsaved(isChanged && !change.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!isWrong) void change.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t.name}
          required
          maxLength={120}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SlugField
          optional={role === undefined}
          value={slug}
          onChange={setSlug}
          error={checked && isWrong && slugs.wrong}
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
        <PermissionField choices={choices} value={permissions} onChange={setPermissions} mayGive={mayGive} />
        <ErrorNote
          error={change.error}
          sentences={{
            conflict: t.conflict,
            invalid_input: t.invalid,
            forbidden: t.forbidden,
            rate_limited: t.limited,
          }}
        />
        <FormButtons verb={role ? words.save : t.createVerb} busy={change.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
