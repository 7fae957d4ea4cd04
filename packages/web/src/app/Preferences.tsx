import { NativeSelect, useMantineColorScheme } from '@mantine/core';
import { client } from '../ui/client.ts';
import { Icon } from '../ui/Icon.tsx';
import { LANGUAGES, type Language, useLanguage } from '../ui/language.tsx';
import { useWords } from '../ui/words.ts';

const CHOICE = <Icon name="choice" size={13} />;

/** Language, which is stored in the account, and colour scheme. Native selects work everywhere and add no code. */
export function Preferences() {
  const t = useWords();
  const { language, choose } = useLanguage();
  const change = (next: Language) => {
    choose(next);
    // If the update fails, the language applies until the page is loaded again.
    client.account.update({ locale: next }).catch(() => {});
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
