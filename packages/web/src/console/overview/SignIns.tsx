import type { Overview, SignInPoint } from '@gatehouse/contract';
import { Group, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { useFilters } from '../../app/search.ts';
import { Panel } from '../../ui/Panel.tsx';
import { BarChart } from './BarChart.tsx';
import { RANGES, type Range, rangeOf } from './range.ts';
import { SignInTable } from './SignInTable.tsx';
import { useText } from './text.ts';
import { useTimeNames } from './time-names.ts';

type Outcome = 'succeeded' | 'failed';

const sumOf = (points: readonly SignInPoint[], outcome: Outcome): number =>
  points.reduce((sum, point) => sum + point[outcome], 0);

export function SignIns({ step, points }: Overview['sign_ins']) {
  const t = useText();
  const [filters, setFilters] = useFilters();
  const range = rangeOf(filters.range);
  const names = useTimeNames(step);
  const choose = (next: string) => setFilters({ range: next === '24h' ? undefined : next }, { replace: true });

  const chart = (outcome: Outcome, empty: string) => {
    const sum = t.count[outcome](sumOf(points, outcome));
    const bars = points.map((point, index) => {
      const open = index === points.length - 1;
      const when = open ? `${names.long(point.at)} (${t.soFar})` : names.long(point.at);
      return {
        at: point.at,
        value: point[outcome],
        tick: names.short(point.at),
        label: t.bar(when, t.count[outcome](point[outcome])),
        open,
      };
    });
    return (
      <figure style={{ margin: 0, minWidth: 0 }}>
        <figcaption>
          <Text fw={600} size="sm" mb="xs">
            {sum}
          </Text>
        </figcaption>
        <BarChart
          label={`${sum}. ${t.chartHint}`}
          bars={bars}
          tone={outcome === 'failed' ? 'bad' : 'good'}
          empty={empty}
        />
      </figure>
    );
  };

  return (
    <Panel title={t.signIns} lead={t.signInsLead}>
      <Group>
        <SegmentedControl
          aria-label={t.range}
          value={range}
          onChange={choose}
          data={RANGES.map((value: Range) => ({ value, label: t.ranges[value] }))}
        />
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="lg">
        {chart('succeeded', t.noSignIns)}
        {chart('failed', t.noFailures)}
      </SimpleGrid>
      <SignInTable points={points} step={step} />
    </Panel>
  );
}
