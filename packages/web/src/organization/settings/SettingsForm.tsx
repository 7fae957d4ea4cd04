import type { Organization } from '@gatehouse/contract';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { queries } from '../../app/query.ts';
import { SlugField } from '../../app/SlugField.tsx';
import { reloadSession } from '../../app/session.ts';
import { isSlug } from '../../app/slug.ts';
import { useText as useAppText } from '../../app/text.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useText } from '../text.ts';

/** Saves and reloads; the name is also in the header and the menu. */
async function save(id: string, body: { name: string; slug: string }): Promise<void> {
  await client.organization.update(id, body);
  await Promise.all([queries.invalidateQueries({ queryKey: ['organization'] }), reloadSession()]);
}

export function SettingsForm({ organization: { id, name, slug } }: { organization: Organization }) {
  const words = useWords();
  const text = useText();
  const t = text.settings;
  const slugs = useAppText().slug;
  const [typed, setTyped] = useState<{ name?: string; slug?: string }>({});
  const [checked, setChecked] = useState(false);
  const next = { name: typed.name ?? name, slug: typed.slug ?? slug };
  const isChanged = next.name.trim() !== name || next.slug.trim() !== slug;
  const isWrong = !isSlug(next.slug.trim());
  const change = useAction(async () => {
    await save(id, { name: next.name.trim(), slug: next.slug.trim() });
    setTyped({});
    showToast(t.saved, () => save(id, { name, slug }));
  });
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
          value={next.name}
          onChange={(event) => setTyped({ ...typed, name: event.currentTarget.value })}
        />
        <SlugField
          value={next.slug}
          onChange={(value) => setTyped({ ...typed, slug: value })}
          description={t.slugHint}
          error={checked && isWrong && slugs.wrong}
        />
        <ErrorNote error={change.error} sentences={{ conflict: slugs.taken, forbidden: text.changeRole.forbidden }} />
        <Group>
          <Button type="submit" loading={change.busy} disabled={!isChanged || next.name.trim() === ''}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
