import { LIMITS } from '@gatehouse/contract';
import { findFault } from './json.ts';
import type { Text } from './text/en.ts';

export type Value = Record<string, unknown> | null;

const { bytes: MAX_BYTES, depth: MAX_DEPTH } = LIMITS.flagValue;

export const bytesOf = (value: Value): number => new TextEncoder().encode(JSON.stringify(value)).length;

export const writeValue = (value: Value): string => (value === null ? '' : JSON.stringify(value, null, 2));

type Reading = { readonly value: Value; readonly fault?: undefined } | { readonly fault: string };

/** Parses a typed value, or returns what is wrong with it. Blank is null. */
export function readValue(text: string, { faults }: Text): Reading {
  if (text.trim() === '') return { value: null };
  const fault = findFault(text, MAX_DEPTH);
  if (fault) {
    const { kind, line, column } = fault;
    return { fault: faults.at(line, column, kind === 'depth' ? faults.depth(MAX_DEPTH) : faults[kind]) };
  }
  const value = JSON.parse(text) as unknown;
  if (value === null) return { value };
  if (typeof value !== 'object' || Array.isArray(value)) return { fault: faults.notObject };
  return bytesOf(value as Value) > MAX_BYTES ? { fault: faults.size(MAX_BYTES) } : { value: value as Value };
}
