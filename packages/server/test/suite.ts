import { afterAll, beforeAll } from 'vitest';

/** Opens a resource before the tests of the enclosing suite, closes it after them. Its properties exist meanwhile. */
export function forSuite<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  const resource: Partial<T> = {};
  beforeAll(async () => void Object.assign(resource, await open()));
  afterAll(() => resource.close?.());
  return resource as T;
}
