import { createContext, type ReactNode, use, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { settings } from './settings.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = 'gatehouse-language';
const isLanguage = (value: string | null | undefined): value is Language => value === 'en' || value === 'de';

/** Returns the supported language of a locale: that of `de-CH` is German. */
export const languageOf = (locale: string | null): Language | undefined => {
  const language = locale?.split('-')[0];
  return isLanguage(language) ? language : undefined;
};

function remembered(): Language | undefined {
  try {
    const stored = localStorage.getItem(KEY);
    return isLanguage(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** The first of: the account's language, the choice in this browser, the browser's languages, the service's default. */
function firstLanguage(): Language {
  const asked = navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage);
  return settings.account_language ?? remembered() ?? asked ?? settings.default_locale ?? 'en';
}

interface Choice {
  readonly language: Language;
  choose(language: Language): void;
}

const LanguageContext = createContext<Choice>({ language: 'en', choose: () => {} });

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = useCallback((next: Language) => {
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Without storage the choice applies to this page only.
    }
    setLanguage(next);
  }, []);
  const choice = useMemo(() => ({ language, choose }), [language, choose]);
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export const useLanguage = (): Choice => useContext(LanguageContext);

type Sources<T> = Readonly<Record<Language, () => Promise<{ readonly text: T }>>>;

const loaders: ((language: Language) => Promise<unknown>)[] = [];

/** Loads all text that the modules imported so far define, except text with `onDemand`, in the initial language. */
export const loadTexts = (): Promise<unknown> => Promise.all(loaders.map((load) => load(firstLanguage())));

/**
 * Returns a hook for the text of one part of the app. Each language is a module with a dynamic import; the compiler
 * checks that it is complete. Sentences with parameters are functions. `loadTexts` skips text with `onDemand`, which is
 * loaded when a component first renders it.
 */
export function defineText<T>(sources: Sources<T>, { onDemand = false } = {}): () => T {
  const loading = new Map<Language, Promise<T>>();
  const load = (language: Language): Promise<T> => {
    const found = loading.get(language);
    if (found) return found;
    const words = sources[language]().then(
      ({ text }) => {
        // React's `use` reads these properties, and then returns the value without suspending.
        Object.assign(words, { status: 'fulfilled', value: text });
        return text;
      },
      (error) => {
        // A failed import is not cached, so that the next attempt can succeed.
        loading.delete(language);
        throw error;
      },
    );
    loading.set(language, words);
    return words;
  };
  if (!onDemand) loaders.push(load);
  return () => use(load(useLanguage().language));
}
