import type { OverviewQuery } from '@gatehouse/contract';

export type Range = NonNullable<OverviewQuery['range']>;

export const RANGES: readonly Range[] = ['24h', '7d', '30d'];

export const rangeOf = (asked: string | undefined): Range => RANGES.find((range) => range === asked) ?? '24h';
