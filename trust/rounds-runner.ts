import { type RunnerTask, type RunnerTestFile, TestRunner } from 'vitest';

/** How often the races of the normal test run are repeated. */
const ROUNDS = Number(process.env.TRUST_ROUNDS ?? 15);
const RACES = /\/test\/race\//;

export default class RoundsRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    for (const file of files) if (RACES.test(file.filepath)) repeat(file);
  }
}

function repeat(task: RunnerTask): void {
  if (task.type === 'test') task.repeats = ROUNDS - 1;
  else for (const child of task.tasks) repeat(child);
}
