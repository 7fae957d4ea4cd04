const KINDS = [
  ['iphone', /iPhone/],
  ['ipad', /iPad/],
  ['android', /Android/],
  ['chromebook', /CrOS/],
  ['windows', /Windows/],
  ['mac', /Macintosh/],
  ['linux', /Linux/],
] as const;
export type DeviceKind = (typeof KINDS)[number][0] | 'unknown';

/** The device as people call it, by what its browser says. An iPad calls itself a Mac, which has no screen to touch. */
export function deviceKind({ userAgent, maxTouchPoints }: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>): DeviceKind {
  const kind = KINDS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'unknown';
  return kind === 'mac' && maxTouchPoints > 1 ? 'ipad' : kind;
}
