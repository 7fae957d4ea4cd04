/** Mantine's storage key, which the app uses too. `src/early.js` sets the attribute before the first paint. */
const KEY = 'mantine-color-scheme-value';

export const SCHEMES = ['auto', 'light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

const system = matchMedia('(prefers-color-scheme: dark)');

export function chosenScheme(): Scheme {
  try {
    const stored = localStorage.getItem(KEY);
    return SCHEMES.find((scheme) => scheme === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function show(scheme: Scheme): void {
  const isDark = scheme === 'auto' ? system.matches : scheme === 'dark';
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
}

export function chooseScheme(scheme: Scheme): void {
  try {
    localStorage.setItem(KEY, scheme);
  } catch {
    // Without storage the choice applies to this page only.
  }
  show(scheme);
}

show(chosenScheme());
system.addEventListener('change', () => show(chosenScheme()));
