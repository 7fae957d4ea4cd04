/** The one place that knows what time it is. Tests set it; SQL gets it as a parameter. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

export const after = (date: Date, inSeconds: number): Date => new Date(date.getTime() + inSeconds * 1000);
