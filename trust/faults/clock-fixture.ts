import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Runs before the service, in its process: what it takes for the time is off by what a file says. */
const PRELOAD = `
import { readFileSync } from 'node:fs';
const Real = Date;
let shift = 0;
const look = () => {
  const text = readFileSync(process.env.CLOCK_FILE, 'utf8');
  if (text !== '') shift = Number(text);
};
look();
setInterval(look, 10).unref();
globalThis.Date = class Date extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + shift);
    else super(...given);
  }
  static now() {
    return Real.now() + shift;
  }
};
`;

export interface WrongClock {
  /** For a process that is to go by it. */
  readonly env: Record<string, string>;
  /** Hours from the true time. Read within milliseconds; who wants to be sure asks the process. */
  set(hours: number): void;
}

export function createWrongClock(folder: string, name: string): WrongClock {
  const preload = join(folder, 'clock.mjs');
  const file = join(folder, `clock-${name}`);
  writeFileSync(preload, PRELOAD);
  writeFileSync(file, '0');
  return {
    env: { CLOCK_FILE: file, NODE_OPTIONS: `--import=${pathToFileURL(preload)}` },
    set: (hours) => writeFileSync(file, String(hours * 3_600_000)),
  };
}
