import { afterAll, beforeAll } from 'vitest';

/** Opens a resource for the enclosing suite and closes it afterwards. Use its properties in tests and hooks only. */
export function forSuite<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  const resource: Partial<T> = {};
  beforeAll(async () => void Object.assign(resource, await open()));
  afterAll(() => resource.close?.());
  return resource as T;
}

/** Calls `clean` when the Vitest worker exits: for resources that its test files share. */
export function atWorkerEnd(clean: () => void): void {
  // Vitest ends a worker with SIGTERM, at which Node does not emit `exit`.
  process.once('SIGTERM', () => process.exit());
  process.once('exit', clean);
}
