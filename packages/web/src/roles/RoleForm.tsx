import type { NewRole, Role } from '@gatehouse/contract';
import { Textarea, TextInput } from '@mantine/core';
import { DialogForm } from '../app/DialogForm.tsx';
import { SlugField } from '../app/SlugField.tsx';
import { isSlug } from '../app/slug.ts';
import { useText as useAppText } from '../app/text.ts';
import { showToast } from '../app/toast-store.ts';
import { useCloseDialog } from '../app/unsaved.ts';
import { useForm } from '../app/use-form.ts';
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
}

/** Returns the request that restores a role as it was before a change. */
const bodyOf = ({ name, slug, description, permissions }: Role): NewRole => ({ name, slug, description, permissions });

export function RoleForm({ role, choices, mayGive, save }: RoleFormProps) {
  const t = useText();
  const words = useWords();
  const slugs = useAppText().slug;
  const close = useCloseDialog();
  const isNew = role === undefined;
  const form = useForm({
    values: {
      name: role?.name ?? '',
      slug: role?.slug ?? '',
      description: role?.description ?? '',
      permissions: (role?.permissions ?? []) as readonly string[],
    },
    check: ({ slug }) => ({ slug: (isNew && slug.trim() === '') || isSlug(slug.trim()) ? undefined : slugs.wrong }),
    send: async ({ name, slug, description, permissions }) => {
      await save({
        name: name.trim(),
        ...(slug.trim() !== '' && { slug: slug.trim() }),
        description: description.trim() || null,
        permissions: [...permissions],
      });
      if (role) showToast(t.saved(name.trim()), () => save(bodyOf(role)));
      else showToast(t.created(name.trim()));
      close();
    },
  });
  return (
    <DialogForm
      form={form}
      verb={isNew ? t.createVerb : words.save}
      sentences={{ conflict: t.conflict, invalid_input: t.invalid, forbidden: t.forbidden, rate_limited: t.limited }}
    >
      <TextInput label={t.name} required maxLength={120} autoComplete="off" data-autofocus {...form.field('name')} />
      <SlugField optional={isNew} {...form.field('slug')} />
      <Textarea
        label={`${t.description} (${t.optional})`}
        maxLength={500}
        autosize
        minRows={2}
        maxRows={6}
        {...form.field('description')}
      />
      <PermissionField choices={choices} mayGive={mayGive} {...form.field('permissions')} />
    </DialogForm>
  );
}
