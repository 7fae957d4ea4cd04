import { isGatehouseError } from '@gatehouse/client';
import { LIMITS } from '@gatehouse/contract';
import { Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { queries } from '../../app/query.ts';
import { SlugField } from '../../app/SlugField.tsx';
import { isSlug } from '../../app/slug.ts';
import { useText as useAppText } from '../../app/text.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useText } from '../users/text.ts';

const BLANK = { name: '', slug: '', email: '', owner: '', password: '' };
type Field = keyof typeof BLANK;

export function CreateForm({ onCancel }: { onCancel: () => void }) {
  const words = useWords();
  const t = useText().organizations;
  const slugs = useAppText().slug;
  const navigate = useNavigate();
  const [given, setGiven] = useState(BLANK);
  const [checked, setChecked] = useState(false);
  const [emailTaken, setEmailTaken] = useState(false);
  const slug = given.slug.trim();
  const { min, max } = LIMITS.password;
  const wrong = {
    slug: slug !== '' && !isSlug(slug) && slugs.wrong,
    password:
      given.password.length < min
        ? words.passwordTooShort(min)
        : given.password.length > max && words.passwordTooLong(max),
  };

  const create = useAction(async () => {
    const request = {
      organization_name: given.name,
      ...(slug !== '' && { organization_slug: slug }),
      owner_email: given.email,
      owner_password: given.password,
      ...(given.owner.trim() !== '' && { owner_display_name: given.owner }),
    };
    const { organization_id } = await client.organizations.create(request).catch(async (error) => {
      // The email or the slug may be taken; the list of users shows which.
      if (isGatehouseError(error, 'conflict')) setEmailTaken(await hasAccount(given.email));
      throw error;
    });
    await queries.invalidateQueries({ queryKey: ['organizations'] });
    await navigate({ to: `/console/organizations/${organization_id}` });
  });
  useUnsaved(Object.values(given).some((value) => value !== '') && !create.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!wrong.slug && !wrong.password) void create.run();
  };
  const field = (name: Field) => ({
    value: given[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => setGiven({ ...given, [name]: event.currentTarget.value }),
  });

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t.createLead}
        </Text>
        <TextInput label={t.name} required maxLength={120} autoComplete="off" data-autofocus {...field('name')} />
        <SlugField
          optional
          value={given.slug}
          onChange={(next) => setGiven({ ...given, slug: next })}
          error={checked && wrong.slug}
        />
        <TextInput
          label={t.ownerEmail}
          inputMode="email"
          autoCapitalize="none"
          required
          maxLength={254}
          autoComplete="off"
          {...field('email')}
        />
        <TextInput label={`${t.ownerName} (${t.optional})`} maxLength={120} autoComplete="off" {...field('owner')} />
        <PasswordField
          label={t.ownerPassword}
          description={t.ownerPasswordHint(min)}
          required
          autoComplete="new-password"
          error={checked && wrong.password}
          {...field('password')}
        />
        <ErrorNote error={create.error} sentences={{ conflict: emailTaken ? t.emailTaken : slugs.taken }} />
        <FormButtons verb={t.create} busy={create.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

/** Returns whether an account has the email. The email of a deleted user is available again. */
async function hasAccount(email: string): Promise<boolean> {
  const sought = email.trim().toLowerCase();
  const { items } = await client.users.list({ q: sought, page_size: '100' });
  return items.some((user) => user.email === sought && user.status !== 'deleted');
}
