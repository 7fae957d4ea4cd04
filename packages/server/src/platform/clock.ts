/** The only source of the current time. Tests replace it; SQL gets the time as a parameter. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

export const after = (date: Date, inSeconds: number): Date => new Date(date.getTime() + inSeconds * 1000);
