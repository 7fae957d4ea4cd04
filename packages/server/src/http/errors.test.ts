import { ERRORS } from '@gatehouse/contract';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { errorBody, translateError } from './errors.ts';

const fromServer = (code: string): Error =>
  Object.assign(new pg.DatabaseError(`relation "users" at db.internal: ${code}`, 0, 'error'), { code });
const fromNetwork = (code: string): Error => Object.assign(new Error(`connect ${code} 10.0.0.7:5432`), { code });

const FAILURES: Readonly<Record<string, Error>> = {
  'connection refused': fromNetwork('ECONNREFUSED'),
  'connection reset': fromNetwork('ECONNRESET'),
  'no such host': fromNetwork('ENOTFOUND'),
  'connection terminated': new Error('Connection terminated unexpectedly'),
  'no connection in time': new Error('timeout exceeded when trying to connect'),
  'no answer in time': new Error('Query read timeout'),
  'ended by an administrator': fromServer('57P01'),
  'the server crashed': fromServer('57P02'),
  'it starts, or stops': fromServer('57P03'),
  'too many connections': fromServer('53300'),
  'the disk is full': fromServer('53100'),
  'read-only': fromServer('25006'),
  'a statement took too long': fromServer('57014'),
  'a lock took too long': fromServer('55P03'),
  'wrong password': fromServer('28P01'),
};

describe('§7: database failures', () => {
  it.each(Object.entries(FAILURES))('the failure "%s" becomes internal_error without details', (_name, failure) => {
    const error = translateError(failure);
    expect(error.cause).toBe(failure);
    expect(ERRORS[error.code].status).toBe(500);
    expect(errorBody(error)).toEqual({
      error: { code: 'internal_error', message: 'internal server error', type: 'internal_error' },
    });
  });
});
