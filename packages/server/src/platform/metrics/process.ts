import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Across, Family } from './exposition.ts';

const loop = monitorEventLoopDelay({ resolution: 20 });

export function processFamilies(): Family[] {
  loop.enable();
  const { user, system } = process.cpuUsage();
  const memory = process.memoryUsage();
  const gauge = (across: Across, name: string, help: string, value: number): Family => ({
    name,
    help,
    type: 'gauge',
    across,
    samples: [{ value }],
  });
  const families: Family[] = [
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time used',
      type: 'counter',
      samples: [{ value: (user + system) / 1e6 }],
    },
    gauge('sum', 'process_resident_memory_bytes', 'Memory in use', memory.rss),
    gauge('sum', 'nodejs_heap_size_used_bytes', 'JavaScript heap in use', memory.heapUsed),
    gauge('sum', 'nodejs_external_memory_bytes', 'Memory outside the JavaScript heap', memory.external),
    gauge('max', 'process_uptime_seconds', 'Time since the start of the process', process.uptime()),
    gauge(
      'max',
      'nodejs_eventloop_lag_p99_seconds',
      '99th percentile of the event-loop delay since the last scrape',
      loop.percentile(99) / 1e9,
    ),
  ];
  loop.reset();
  return families;
}
