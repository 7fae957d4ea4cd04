import type { Text } from './text/en.ts';

/** `Firefox on Linux`, as the service says it, in the words of the page. */
export const deviceName = (device: string, t: Text): string =>
  device === 'Unknown browser' ? t.unknownBrowser : device.replace(/ on /, ` ${t.on} `);
