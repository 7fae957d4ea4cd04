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

/** Returns the kind of device by the User-Agent. An iPad identifies as a Mac, but Macs have no touch screen. */
export function deviceKind({ userAgent, maxTouchPoints }: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>): DeviceKind {
  const kind = KINDS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'unknown';
  return kind === 'mac' && maxTouchPoints > 1 ? 'ipad' : kind;
}
