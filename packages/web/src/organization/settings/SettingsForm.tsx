import type { Organization } from '@gatehouse/contract';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { queries } from '../../app/query.ts';
import { SlugField } from '../../app/SlugField.tsx';
import { reloadSession } from '../../app/session.ts';
import { isSlug } from '../../app/slug.ts';
import { useText as useAppText } from '../../app/text.ts';
import { showToast } from '../../app/toast-store.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
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
  const form = useForm({
    values: { name, slug },
    check: (typed) => ({ slug: isSlug(typed.slug.trim()) ? undefined : slugs.wrong }),
    send: async (typed, reset) => {
      await save(id, { name: typed.name.trim(), slug: typed.slug.trim() });
      reset();
      showToast(t.saved, () => save(id, { name, slug }));
    },
  });
  const next = { name: form.values.name.trim(), slug: form.values.slug.trim() };
  const isChanged = next.name !== name || next.slug !== slug;
  return (
    <form {...form.props}>
      <Stack>
        <TextInput label={t.name} required maxLength={120} autoComplete="off" {...form.field('name')} />
        <SlugField description={t.slugHint} {...form.field('slug')} />
        <ErrorNote error={form.error} sentences={{ conflict: slugs.taken, forbidden: text.changeRole.forbidden }} />
        <Group>
          <Button type="submit" loading={form.busy} disabled={!isChanged || next.name === ''}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
