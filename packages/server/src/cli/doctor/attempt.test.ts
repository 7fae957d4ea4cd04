import { describe, expect, it } from 'vitest';
import { CommandFailure } from '../support/failure.ts';
import { attempt, checkNow } from './attempt.ts';
import { ok } from './finding.ts';

const over = new AbortController().signal;
const failing = (error: unknown) => attempt('x', () => Promise.reject(error), { over });

describe('doctor: checks are independent', () => {
  it('returns the findings of a check: one, several or none', async () => {
    const finding = ok('x', 'fine');
    expect(await attempt('x', () => finding, { over })).toEqual([finding]);
    expect(await attempt('x', async () => [finding, finding], { over })).toEqual([finding, finding]);
    expect(await attempt('x', () => [], { over })).toEqual([]);
  });

  it('reports an exception in a check, also in a synchronous one, as a warning', async () => {
    const thrown = () => {
      throw new TypeError('odd\nand long');
    };
    expect(await attempt('x', thrown, { over })).toMatchObject([
      { check: 'x', status: 'warning', detail: 'the check failed: odd' },
    ]);
    expect((await failing(new CommandFailure('A sentence.')))[0]!.detail).toContain('A sentence.');
    expect((await failing('text'))[0]!.detail).toBe('the check failed: string');
  });

  it('runs a synchronous check even after the timeout of the run', () => {
    expect(checkNow('x', () => ok('x', 'fine'))).toMatchObject([{ status: 'ok' }]);
    const thrown = () => {
      throw new TypeError('odd');
    };
    expect(checkNow('x', thrown)).toMatchObject([{ check: 'x', status: 'warning', detail: 'the check failed: odd' }]);
  });

  it('does not show values that a database error quotes', async () => {
    const dbError = Object.assign(new Error('invalid input syntax: "hush"'), { severity: 'ERROR', code: '22P02' });
    const [finding] = await failing(dbError);
    expect(finding!.detail).toContain('22P02');
    expect(finding!.detail).not.toContain('hush');
  });

  it('abandons a check after its own timeout or that of the run', async () => {
    const endless = () => new Promise<never>(() => {});
    const late = { check: 'x', status: 'warning', detail: expect.stringContaining('in time') };
    expect(await attempt('x', endless, { over, limit: 1 })).toMatchObject([late]);
    const run = new AbortController();
    const given = attempt('x', endless, { over: run.signal, limit: 3_600_000 });
    run.abort();
    expect(await given).toMatchObject([late]);
    let asked = false;
    const ask = () => {
      asked = true;
      return endless();
    };
    expect(await attempt('x', ask, { over: run.signal })).toMatchObject([late]);
    expect(asked).toBe(false);
  });
});
