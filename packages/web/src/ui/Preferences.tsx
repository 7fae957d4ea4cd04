import { NativeSelect, useMantineColorScheme } from '@mantine/core';
import { client } from './client.ts';
import { Icon } from './Icon.tsx';
import { LANGUAGES, type Language, useLanguage } from './language.tsx';
import { settings } from './settings.ts';
import { useWords } from './words.ts';

/** Mantine's own icon needs a style sheet that the hosted pages do not load. */
const CHOICE = <Icon name="choice" size={13} />;

interface Props {
  /** A user is signed in: the language is that of the account, so the choice is stored there too. */
  readonly ofAccount?: boolean;
}

/** Language and colour scheme, on every page. Native selects work everywhere and add no code. */
export function Preferences({ ofAccount = settings.account_language !== null }: Props) {
  const t = useWords();
  const { language, choose } = useLanguage();
  const change = (next: Language) => {
    choose(next);
    // If it fails, the choice applies until the page is loaded again.
    if (ofAccount) client.account.update({ locale: next }).catch(() => {});
  };
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <NativeSelect
        size="xs"
        variant="unstyled"
        rightSection={CHOICE}
        aria-label={t.language}
        value={language}
        onChange={(event) => change(event.currentTarget.value as Language)}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      />
      <NativeSelect
        size="xs"
        variant="unstyled"
        rightSection={CHOICE}
        aria-label={t.colourScheme}
        value={colorScheme}
        onChange={(event) => setColorScheme(event.currentTarget.value as 'auto' | 'light' | 'dark')}
        data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t.schemes[value] }))}
      />
    </>
  );
}
