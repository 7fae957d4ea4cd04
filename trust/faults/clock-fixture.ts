import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Runs in the process before the service: shifts its clock by the value in a file. */
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

interface WrongClock {
  readonly env: Record<string, string>;
  /** Sets the difference from the true time. It applies within milliseconds. */
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
