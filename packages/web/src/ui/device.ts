import type { Text } from './text/en.ts';

/** `Firefox on Linux`, as the service returns it, in the language of the page. Null: not known. */
export const deviceName = (device: string | null, words: Text): string =>
  device === null || device === 'Unknown browser' ? words.unknownBrowser : device.replace(/ on /, ` ${words.on} `);
