import { Button, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { client } from '../ui/client.ts';
import { DialogForm } from './DialogForm.tsx';
import { Dimmed } from './Dimmed.tsx';
import { FormDialog } from './FormDialog.tsx';
import { SlugField } from './SlugField.tsx';
import { useMe } from './session.ts';
import { isSlug } from './slug.ts';
import { useText } from './text.ts';
import { useForm } from './use-form.ts';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function NewOrganization({ opened, onClose }: Props) {
  const t = useText().newOrganization;
  const { email_verified } = useMe();
  return (
    <FormDialog opened={opened} onClose={onClose} title={t.title}>
      {email_verified ? <Form /> : <Unverified onClose={onClose} />}
    </FormDialog>
  );
}

/** Shown instead of the form: only users with a verified email can create organizations. */
function Unverified({ onClose }: { onClose: () => void }) {
  const t = useText().newOrganization;
  return (
    <Stack>
      <Text>{t.unverified}</Text>
      <Button component={Link} to="/account" onClick={onClose} data-autofocus>
        {t.verify}
      </Button>
    </Stack>
  );
}

function Form() {
  const t = useText().newOrganization;
  const slugs = useText().slug;
  // The id of the created organization. If only the switch to it fails, a retry must not create a second one.
  const created = useRef<string>(undefined);
  const form = useForm({
    values: { name: '', slug: '' },
    check: ({ slug }) => ({ slug: slug.trim() === '' || isSlug(slug.trim()) ? undefined : slugs.wrong }),
    send: async ({ name, slug }) => {
      const body = { name, ...(slug.trim() !== '' && { slug: slug.trim() }) };
      created.current ??= (await client.organization.create(body)).id;
      await client.session.switchOrganization(created.current);
      location.assign('/organization/members');
    },
  });
  return (
    <DialogForm
      form={form}
      verb={t.create}
      sentences={{
        conflict: form.values.slug.trim() === '' ? t.full : slugs.taken,
        forbidden: t.closed,
        rate_limited: t.tooMany,
      }}
    >
      <Dimmed>{t.lead}</Dimmed>
      <TextInput label={t.name} required maxLength={120} autoComplete="off" data-autofocus {...form.field('name')} />
      <SlugField optional {...form.field('slug')} />
    </DialogForm>
  );
}
