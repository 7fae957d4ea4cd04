import { describe, expect, it } from 'vitest';
import { addUp, lastingOf } from './add-up.ts';
import { expose, type Family } from './exposition.ts';
import { createMetrics } from './metrics.ts';

const gauge = (across: 'sum' | 'max' | 'min', value: number): Family => ({
  name: `${across}_of`,
  help: 'x',
  type: 'gauge',
  across,
  samples: [{ value }],
});
const counter = (value: number): Family => ({ name: 'c_total', help: 'x', type: 'counter', samples: [{ value }] });
const values = (families: readonly Family[]) =>
  Object.fromEntries(families.map(({ name, samples }) => [name, samples.map(({ value }) => value)]));

describe('metrics of several processes', () => {
  it('adds counters, and combines gauges by their rule', () => {
    const [one, other] = [3, 5].map((value) => [
      counter(value),
      gauge('sum', value),
      gauge('max', value),
      gauge('min', value),
    ]);
    expect(values(addUp([one!, other!]))).toEqual({ c_total: [8], sum_of: [8], max_of: [5], min_of: [3] });
  });

  it('adds histograms by bucket, and keeps a series that only one process has', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.requests.of('/a')('GET', 200, 0.003);
    other.requests.of('/a')('GET', 200, 2);
    other.requests.of('/b')('GET', 404, 0.2);
    const text = expose(addUp([await one.families(), await other.families()]));
    const line = (suffix: string, labels: string) =>
      text.match(new RegExp(`seconds_${suffix}\\{${labels.replaceAll('/', '\\/')}\\} (\\S+)`))?.[1];
    const a = 'method="GET",route="/a",status="200"';
    expect(line('bucket', `${a},le="0.005"`)).toBe('1');
    expect(line('bucket', `${a},le="\\+Inf"`)).toBe('2');
    expect(line('sum', a)).toBe('2.003');
    expect(line('count', a)).toBe('2');
    expect(line('count', 'method="GET",route="/b",status="404"')).toBe('1');
    expect(text.match(/# TYPE gatehouse_http_request_duration_seconds /g)).toHaveLength(1);
  });

  it('ignores NaN values of one process', () => {
    expect(values(addUp([[gauge('max', Number.NaN)], [gauge('max', 2)]]))).toEqual({ max_of: [2] });
    expect(values(addUp([[gauge('min', 2)], [gauge('min', Number.NaN)]]))).toEqual({ min_of: [2] });
  });

  it('keeps the counters of a process that has ended', () => {
    expect(values(lastingOf([counter(3), gauge('sum', 7)]))).toEqual({ c_total: [3] });
  });
});
