import { isGatehouseError } from '@gatehouse/client';
import { LIMITS } from '@gatehouse/contract';
import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { DialogForm } from '../../app/DialogForm.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { queries } from '../../app/query.ts';
import { SlugField } from '../../app/SlugField.tsx';
import { isSlug } from '../../app/slug.ts';
import { useText as useAppText } from '../../app/text.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useWords } from '../../ui/words.ts';
import { useText } from '../users/text.ts';

const { min, max } = LIMITS.password;

export function CreateForm() {
  const words = useWords();
  const t = useText().organizations;
  const slugs = useAppText().slug;
  const navigate = useNavigate();
  const [emailTaken, setEmailTaken] = useState(false);
  const form = useForm({
    values: { name: '', slug: '', email: '', owner: '', password: '' },
    check: ({ slug, password: { length } }) => ({
      slug: slug.trim() !== '' && !isSlug(slug.trim()) ? slugs.wrong : undefined,
      password: length < min ? words.passwordTooShort(min) : length > max ? words.passwordTooLong(max) : undefined,
    }),
    send: async ({ name, slug, email, owner, password }) => {
      const request = {
        organization_name: name,
        ...(slug.trim() !== '' && { organization_slug: slug.trim() }),
        owner_email: email,
        owner_password: password,
        ...(owner.trim() !== '' && { owner_display_name: owner }),
      };
      const { organization_id } = await client.organizations.create(request).catch(async (error) => {
        // The email or the slug may be taken; the list of users shows which.
        if (isGatehouseError(error, 'conflict')) setEmailTaken(await hasAccount(email));
        throw error;
      });
      await queries.invalidateQueries({ queryKey: ['organizations'] });
      await navigate({ to: `/console/organizations/${organization_id}` });
    },
  });
  return (
    <DialogForm form={form} verb={t.create} sentences={{ conflict: emailTaken ? t.emailTaken : slugs.taken }}>
      <Dimmed>{t.createLead}</Dimmed>
      <TextInput label={t.name} required maxLength={120} autoComplete="off" data-autofocus {...form.field('name')} />
      <SlugField optional {...form.field('slug')} />
      <TextInput
        label={t.ownerEmail}
        inputMode="email"
        autoCapitalize="none"
        required
        maxLength={254}
        autoComplete="off"
        {...form.field('email')}
      />
      <TextInput label={`${t.ownerName} (${t.optional})`} maxLength={120} autoComplete="off" {...form.field('owner')} />
      <PasswordField
        label={t.ownerPassword}
        description={t.ownerPasswordHint(min)}
        required
        autoComplete="new-password"
        {...form.field('password')}
      />
    </DialogForm>
  );
}

/** Returns whether an account has the email. The email of a deleted user is available again. */
async function hasAccount(email: string): Promise<boolean> {
  const sought = email.trim().toLowerCase();
  const { items } = await client.users.list({ q: sought, page_size: '100' });
  return items.some((user) => user.email === sought && user.status !== 'deleted');
}
