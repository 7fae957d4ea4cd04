import type { Text } from './text/en.ts';

/** Translates a device name of the service, such as `Firefox on Linux`. Null: unknown. */
export const deviceName = (device: string | null, words: Text): string =>
  device === null || device === 'Unknown browser' ? words.unknownBrowser : device.replace(/ on /, ` ${words.on} `);
