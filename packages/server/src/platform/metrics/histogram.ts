import type { Family, Sample } from './exposition.ts';

const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Series {
  readonly labels: { method: string; route: string; status: number };
  /** Counts per bound, not cumulative; the last one is above all bounds. */
  readonly buckets: Float64Array;
  sum: number;
}

export interface RequestHistogram {
  /** Returns the function that records requests of one route. */
  of(route: string): (method: string, status: number, seconds: number) => void;
  family(): Family;
}

/** Used on every request: a few lookups and an addition. Labels are route templates, so they are bounded. */
export function createRequestHistogram(name: string, help: string): RequestHistogram {
  const byRoute = new Map<string, Map<string, Map<number, Series>>>();
  return {
    of(route) {
      const methods = obtain(byRoute, route, () => new Map());
      return (method, status, seconds) => {
        const series = obtain(
          obtain(methods, method, () => new Map()),
          status,
          () => ({ labels: { method, route, status }, buckets: new Float64Array(BOUNDS.length + 1), sum: 0 }),
        );
        let bucket = 0;
        while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
        series.buckets[bucket]!++;
        series.sum += seconds;
      };
    },
    family() {
      const all = [...byRoute.values()].flatMap((methods) => [...methods.values()]);
      return {
        name,
        help,
        type: 'histogram',
        samples: all.flatMap((statuses) => [...statuses.values()].flatMap(samplesOf)),
      };
    },
  };
}

function obtain<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function samplesOf({ labels, buckets, sum }: Series): Sample[] {
  let total = 0;
  const counted = [...buckets].map((count, index) => {
    total += count;
    return { suffix: '_bucket', labels, le: BOUNDS[index] ?? ('+Inf' as const), value: total };
  });
  return [...counted, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: total }];
}
