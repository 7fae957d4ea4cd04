import { type FlagChange, LIMITS } from '@gatehouse/contract';
import { ServiceError } from '../../domain/kernel/service-error.ts';

const { bytes, depth } = LIMITS.flagValue;

/** Returns the value as JSON for storage; undefined becomes null. Throws `invalid_input` for an invalid value. */
export function acceptValue(value: FlagChange['value']): string | null {
  if (value === undefined || value === null) return null;
  const fault = faultOf(value, 1);
  if (fault) throw invalid(fault);
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > bytes) throw invalid(`must be at most ${bytes} bytes as JSON`);
  return json;
}

const invalid = (fault: string) => new ServiceError('invalid_input', `value: ${fault}`);

/** Returns why the value cannot be stored unchanged. Depth is checked on the way down, so recursion is bounded. */
function faultOf(value: unknown, level: number): string | undefined {
  if (typeof value === 'string') return faultOfText(value.replace(/[\t\n\r]/g, ''));
  // JSON.parse turns numbers that are too large into Infinity, which JSON cannot represent.
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
