import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { reloadSession, useMe } from '../../app/session.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { LANGUAGES, type Language, useLanguage } from '../../ui/language.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { settings } from '../../ui/settings.ts';
import { useWords } from '../../ui/words.ts';
import { Done } from '../Done.tsx';
import { useText } from './text.ts';

/** The supported languages, and the user's own locale if it is another one, such as `de-CH`, set by the API. */
function languagesFor(locale: string | null) {
  const supported = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label: label as string }));
  if (locale === null || locale in LANGUAGES) return supported;
  const label = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
  return [...supported, { value: locale, label }];
}

function pagesIn(locale: string): Language {
  const language = (locale || settings.default_locale).split('-')[0] as string;
  return language in LANGUAGES ? (language as Language) : settings.default_locale;
}

export function NamePanel() {
  const t = useText().name;
  const words = useWords();
  const me = useMe();
  const { choose } = useLanguage();
  const [saved, setSaved] = useState(false);
  const form = useForm({
    values: { name: me.display_name ?? '', locale: me.locale ?? '' },
    send: async ({ name, locale }, reset) => {
      setSaved(false);
      await client.account.update({ display_name: name, locale: locale || null });
      if (locale !== (me.locale ?? '')) choose(pagesIn(locale));
      await reloadSession();
      reset();
      setSaved(true);
    },
  });
  return (
    <Panel title={t.title}>
      <form {...form.props}>
        <Stack>
          <ErrorNote error={form.error} sentences={{ invalid_input: t.nameWrong }} />
          <Group align="flex-start" grow preventGrowOverflow={false}>
            <TextInput
              label={t.name}
              description={t.nameHint}
              autoComplete="name"
              maxLength={120}
              miw="14rem"
              {...form.field('name')}
            />
            <NativeSelect
              label={t.language}
              description={t.languageHint}
              miw="14rem"
              {...form.field('locale')}
              data={[{ value: '', label: t.default(LANGUAGES[settings.default_locale]) }, ...languagesFor(me.locale)]}
            />
          </Group>
          <Group>
            <Button type="submit" loading={form.busy}>
              {words.save}
            </Button>
            <Done>{saved && words.saved}</Done>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
