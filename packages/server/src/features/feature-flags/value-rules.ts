import { type FlagChange, LIMITS } from '@gatehouse/contract';
import { ServiceError } from '../../domain/service-error.ts';

const { bytes, depth } = LIMITS.flagValue;

/** The payload of a flag as it is stored, as JSON. Left out is null. */
export function acceptValue(value: FlagChange['value']): string | null {
  if (value === undefined || value === null) return null;
  const fault = faultOf(value, 1);
  if (fault) throw invalid(fault);
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > bytes) throw invalid(`must be at most ${bytes} bytes as JSON`);
  return json;
}

const invalid = (fault: string) => new ServiceError('invalid_input', `value: ${fault}`);

/** What cannot be stored as it was given. The depth is looked at on the way down: what lies too deep is never reached. */
function faultOf(value: unknown, level: number): string | undefined {
  if (typeof value === 'string') return faultOfText(value.replace(/[\t\n\r]/g, ''));
  // Too large for a number, it was read as infinite; JSON has no such thing.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must not contain numbers of that size';
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > depth) return `must be at most ${depth} levels deep`;
  for (const [name, inner] of Object.entries(value)) {
    const fault = faultOfText(name) ?? faultOf(inner, level + 1);
    if (fault) return fault;
  }
  return undefined;
}

const faultOfText = (text: string): string | undefined =>
  text.isWellFormed() && !/\p{Cc}/u.test(text)
    ? undefined
    : 'must not contain invalid Unicode or control characters, except newlines and tabs in texts';
