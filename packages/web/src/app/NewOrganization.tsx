import { Button, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { client } from '../ui/client.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useAction } from '../ui/use-action.ts';
import { FormButtons } from './FormButtons.tsx';
import { FormDialog } from './FormDialog.tsx';
import { SlugField } from './SlugField.tsx';
import { useMe } from './session.ts';
import { isSlug } from './slug.ts';
import { useText } from './text.ts';
import { useUnsaved } from './unsaved.ts';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function NewOrganization({ opened, onClose }: Props) {
  const t = useText().newOrganization;
  const { email_verified } = useMe();
  return (
    <FormDialog opened={opened} onClose={onClose} title={t.title}>
      {email_verified ? <Form onClose={onClose} /> : <Unverified onClose={onClose} />}
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

function Form({ onClose }: { onClose: () => void }) {
  const t = useText().newOrganization;
  const slugs = useText().slug;
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const [checked, setChecked] = useState(false);
  // The id of the created organization. If only the switch to it fails, a retry must not create a second one.
  const created = useRef<string>(undefined);
  const isWrong = slug.trim() !== '' && !isSlug(slug.trim());
  const create = useAction(async () => {
    const body = { name, ...(slug.trim() !== '' && { slug: slug.trim() }) };
    created.current ??= (await client.organization.create(body)).id;
    await client.session.switchOrganization(created.current);
    location.assign('/organization/members');
  });
  useUnsaved((name !== '' || slug !== '') && !create.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!isWrong) void create.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t.lead}
        </Text>
        <TextInput
          label={t.name}
          required
          maxLength={120}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SlugField optional value={slug} onChange={setSlug} error={checked && isWrong && slugs.wrong} />
        <ErrorNote
          error={create.error}
          sentences={{
            conflict: slug.trim() === '' ? t.full : slugs.taken,
            forbidden: t.closed,
            rate_limited: t.tooMany,
          }}
        />
        <FormButtons verb={t.create} busy={create.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
