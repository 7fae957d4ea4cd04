import type { OverviewQuery, SignInPoint } from '@gatehouse/contract';
import type { SignInHour } from './queries.ts';

type Range = NonNullable<OverviewQuery['range']>;

const RANGES = {
  '24h': { step: 'hour', count: 24 },
  '7d': { step: 'day', count: 7 },
  '30d': { step: 'day', count: 30 },
} as const satisfies Record<Range, { step: 'hour' | 'day'; count: number }>;

/** Milliseconds. In UTC, where no day is longer than another. */
const LENGTHS = { hour: 3_600_000, day: 86_400_000 };

/** So many whole hours or days, of which the last is the present one. */
interface Span {
  readonly step: 'hour' | 'day';
  readonly count: number;
  readonly from: Date;
  readonly before: Date;
}

export function spanOf(range: Range, now: Date): Span {
  const { step, count } = RANGES[range];
  const length = LENGTHS[step];
  const before = (Math.floor(now.getTime() / length) + 1) * length;
  return { step, count, from: new Date(before - count * length), before: new Date(before) };
}

/** One point for every hour or day, also where nobody signed in. */
export function pointsOf({ step, count, from }: Span, hours: readonly SignInHour[]): SignInPoint[] {
  const length = LENGTHS[step];
  const points = Array.from({ length: count }, (_, index) => ({
    at: new Date(from.getTime() + index * length).toISOString(),
    succeeded: 0,
    failed: 0,
  }));
  for (const { hour, succeeded, failed } of hours) {
    const point = points[Math.floor((hour.getTime() - from.getTime()) / length)]!;
    point.succeeded += succeeded;
    point.failed += failed;
  }
  return points;
}
