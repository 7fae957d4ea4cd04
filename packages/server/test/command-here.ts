import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { vi } from 'vitest';
import { examine } from '../src/cli/doctor/examine.ts';
import { runProgram } from '../src/cli/program.ts';
import type { Finished, Place } from './process.ts';

/** A command listens to these until its process ends. */
const EVENTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'] as const;

function setEnvironment(values: NonNullable<Place['env']>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(values)) if (value !== undefined) process.env[name] = value;
}

/** Calls `work` with this environment, working folder and standard input, then restores them. Not concurrently. */
async function inPlace<T>({ cwd, env = {}, input }: Place, work: () => Promise<T>): Promise<T> {
  const [environment, folder] = [{ ...process.env }, process.cwd()];
  const terminal = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  const listeners = EVENTS.map((event) => process.rawListeners(event));
  const stdin = input === undefined ? new Readable({ read() {} }) : Readable.from([Buffer.from(input)]);
  setEnvironment({ PATH: environment.PATH, HOME: environment.HOME, ...env });
  process.chdir(cwd);
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  try {
    return await work();
  } finally {
    Object.defineProperty(process, 'stdin', terminal);
    process.chdir(folder);
    setEnvironment(environment);
    for (const [index, event] of EVENTS.entries()) {
      const added = process.rawListeners(event).filter((listener) => !listeners[index]!.includes(listener));
      for (const listener of added) process.off(event, listener as () => void);
    }
  }
}

/**
 * Runs a command in this process, for a tenth of the cost of `runCommand`: for tests of what a command does and prints.
 * Not for `doctor` and a successful `serve`, which end the process.
 */
export async function runHere(args: string[], place: Place): Promise<Finished> {
  const printed = { stdout: '', stderr: '' };
  const to =
    (stream: keyof typeof printed, end = '') =>
    (text: unknown) => {
      printed[stream] += stripVTControlCharacters(`${text}${end}`);
      return true;
    };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(to('stdout', '\n')),
    vi.spyOn(console, 'error').mockImplementation(to('stderr', '\n')),
    vi.spyOn(process.stderr, 'write').mockImplementation(to('stderr')),
  ];
  try {
    const output = { writeOut: to('stdout'), writeErr: to('stderr') };
    const code = (await inPlace(place, () => runProgram(args, output))) ?? 0;
    return { code, ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Returns the findings of `doctor --offline`, by the name of the check. */
export async function examineHere(place: Place) {
  const findings = await inPlace(place, () => examine({ offline: true }));
  return (check: string) => findings.find((finding) => finding.check === check);
}
