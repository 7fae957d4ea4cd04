import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { reloadSession, useMe } from '../../app/session.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { LANGUAGES, type Language, useLanguage } from '../../ui/language.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { settings } from '../../ui/settings.ts';
import { useAction } from '../../ui/use-action.ts';
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
  const [name, setName] = useState(me.display_name ?? '');
  const [locale, setLocale] = useState(me.locale ?? '');
  const [saved, setSaved] = useState(false);
  const save = useAction(async () => {
    setSaved(false);
    await client.account.update({ display_name: name, locale: locale || null });
    if (locale !== (me.locale ?? '')) choose(pagesIn(locale));
    await reloadSession();
    setSaved(true);
  });
  useUnsaved(!save.busy && (name !== (me.display_name ?? '') || locale !== (me.locale ?? '')));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
  return (
    <Panel title={t.title}>
      <form onSubmit={submit}>
        <Stack>
          <ErrorNote error={save.error} sentences={{ invalid_input: t.nameWrong }} />
          <Group align="flex-start" grow preventGrowOverflow={false}>
            <TextInput
              label={t.name}
              description={t.nameHint}
              autoComplete="name"
              maxLength={120}
              miw="14rem"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NativeSelect
              label={t.language}
              description={t.languageHint}
              miw="14rem"
              value={locale}
              onChange={(event) => setLocale(event.currentTarget.value)}
              data={[{ value: '', label: t.default(LANGUAGES[settings.default_locale]) }, ...languagesFor(me.locale)]}
            />
          </Group>
          <Group>
            <Button type="submit" loading={save.busy}>
              {words.save}
            </Button>
            <Done>{saved && words.saved}</Done>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
