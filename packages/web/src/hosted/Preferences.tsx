import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { LANGUAGES, type Language, useLanguage } from '../ui/language.tsx';
import { settings } from '../ui/settings.ts';
import { useWords } from '../ui/words.ts';
import { client } from './client.ts';
import classes from './Preferences.module.css';
import { chooseScheme, chosenScheme, SCHEMES, type Scheme } from './scheme.ts';

/** Language and colour scheme, on every page. Native selects work everywhere and add no code. */
export function Preferences() {
  const t = useWords();
  const { language, choose } = useLanguage();
  const [scheme, setScheme] = useState(chosenScheme);
  const change = (next: Language) => {
    choose(next);
    // The page of a signed-in user is in the language of the account. If the update fails, the choice applies until the
    // page is loaded again.
    if (settings.account_language !== null) client.account.update({ locale: next }).catch(() => {});
  };
  return (
    <>
      <Choice
        label={t.language}
        value={language}
        options={Object.entries(LANGUAGES)}
        onChoose={(value) => change(value as Language)}
      />
      <Choice
        label={t.colourScheme}
        value={scheme}
        options={SCHEMES.map((value) => [value, t.schemes[value]])}
        onChoose={(value) => {
          chooseScheme(value as Scheme);
          setScheme(value as Scheme);
        }}
      />
    </>
  );
}

interface Props {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChoose: (value: string) => void;
}

const Choice = ({ label, value, options, onChoose }: Props) => (
  <span className={classes.choice}>
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
    <Icon name="choice" size={13} />
  </span>
);
