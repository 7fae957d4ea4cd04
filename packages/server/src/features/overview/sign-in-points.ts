import type { OverviewQuery, SignInPoint } from '@gatehouse/contract';
import type { SignInHour } from './queries.ts';

type Range = NonNullable<OverviewQuery['range']>;

const RANGES = {
  '24h': { step: 'hour', count: 24 },
  '7d': { step: 'day', count: 7 },
  '30d': { step: 'day', count: 30 },
} as const satisfies Record<Range, { step: 'hour' | 'day'; count: number }>;

/** Days are UTC days, which all have the same length. */
const STEP_MS = { hour: 3_600_000, day: 86_400_000 };

/** A number of whole hours or days, the last of which is the current hour or day. */
interface Span {
  readonly step: 'hour' | 'day';
  readonly count: number;
  readonly from: Date;
  readonly before: Date;
}

export function spanOf(range: Range, now: Date): Span {
  const { step, count } = RANGES[range];
  const stepMs = STEP_MS[step];
  const before = (Math.floor(now.getTime() / stepMs) + 1) * stepMs;
  return { step, count, from: new Date(before - count * stepMs), before: new Date(before) };
}

/** One point for every hour or day, including those without sign-ins. */
export function pointsOf({ step, count, from }: Span, hours: readonly SignInHour[]): SignInPoint[] {
  const stepMs = STEP_MS[step];
  const points = Array.from({ length: count }, (_, index) => ({
    at: new Date(from.getTime() + index * stepMs).toISOString(),
    succeeded: 0,
    failed: 0,
  }));
  for (const { hour, succeeded, failed } of hours) {
    const point = points[Math.floor((hour.getTime() - from.getTime()) / stepMs)]!;
    point.succeeded += succeeded;
    point.failed += failed;
  }
  return points;
}
