import { expect, it } from 'vitest';
import { createLogger } from './log.ts';

const lines: Record<string, unknown>[] = [];
const log = createLogger({ level: 'info', stream: { write: (line) => void lines.push(JSON.parse(line)) } });

it('the log redacts secrets by name, at the top level and one level down', () => {
  const headers = { cookie: 'hunter2', 'set-cookie': 'hunter2' };
  log.info(
    { password: 'hunter2', body: { token: 'hunter2', code: '123456' }, headers, req: { body: { secret: 'hunter2' } } },
    'x',
  );
  expect(JSON.stringify(lines)).not.toMatch(/hunter2|123456/);
  expect(lines.at(-1)).toMatchObject({ password: '[redacted]', msg: 'x' });
});

it('the log contains no quoted values of a PostgreSQL error', () => {
  const error = Object.assign(new Error('invalid input syntax for type uuid: "hunter2"'), {
    code: '22P02',
    severity: 'ERROR',
    detail: 'Key (email)=(hunter2) already exists.',
    where: 'unnamed portal parameter $1 = hunter2',
  });
  log.error({ err: error }, 'x');
  expect(JSON.stringify(lines.at(-1))).not.toContain('hunter2');
  expect(lines.at(-1)).toMatchObject({ err: { code: '22P02' } });
});

it('the log contains no quoted values if the PostgreSQL error is the cause of another error, and no client object', () => {
  const cause = Object.assign(new Error('invalid input syntax: "hunter2"'), { code: '22P02', severity: 'ERROR' });
  const error = Object.assign(new Error('wrapped', { cause }), { client: { secretKey: 'hunter2' } });
  log.error({ err: error }, 'x');
  expect(JSON.stringify(lines.at(-1))).not.toContain('hunter2');
  expect(lines.at(-1)).toMatchObject({ err: { message: 'wrapped', cause: { code: '22P02' } } });
});

it('the log keeps message and stack of errors that are not database errors', () => {
  log.error({ err: new Error('disk full') }, 'x');
  expect(lines.at(-1)).toMatchObject({ err: { message: 'disk full', stack: expect.stringContaining('log.test.ts') } });
});
