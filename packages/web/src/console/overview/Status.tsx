import type { Readiness } from '@gatehouse/contract';
import { Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fact, Facts } from '../../app/Facts.tsx';
import { RowsSkeleton } from '../../app/RowsSkeleton.tsx';
import { REFETCH_INTERVAL_MS } from '../../app/renewal.ts';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { PROVIDERS_QUERY } from '../provider-settings/query.ts';
import { useConsoleText } from '../text.ts';
import { useText } from './text.ts';

export function Status() {
  const t = useText();
  const { data, error } = useQuery({
    queryKey: ['readiness'],
    queryFn: () => client.operations.readiness(),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  return (
    <Panel title={t.status} lead={t.readyLead}>
      <ErrorNote error={error ?? undefined} />
      {data ? <Checks readiness={data} /> : !error && <RowsSkeleton />}
      {data?.provider_config.degraded && <DegradedProviders />}
    </Panel>
  );
}

type Check = keyof Readiness['checks'];

function Checks({ readiness: { status, checks } }: { readiness: Readiness }) {
  const t = useText();
  const ready = status === 'ready';
  return (
    <>
      <div role="status">
        <Tag marked tone={ready ? 'good' : 'bad'}>
          {ready ? t.ready : t.notReady}
        </Tag>
      </div>
      <Facts>
        {(Object.keys(checks) as Check[]).map((check) => {
          const { name, ok, failed, help } = t.checks[check];
          // The service works without mail, but not if another check fails.
          const trouble = check === 'mail' ? 'warn' : 'bad';
          const isFine = checks[check] === 'ok';
          return (
            <Fact key={check} name={name}>
              <Tag marked tone={isFine ? 'good' : trouble}>
                {isFine ? ok : failed}
              </Tag>{' '}
              {!isFine && help}
            </Fact>
          );
        })}
      </Facts>
    </>
  );
}

function DegradedProviders() {
  const t = useText();
  const shared = useConsoleText();
  const { data } = useQuery(PROVIDERS_QUERY);
  const degraded = data?.providers.filter((provider) => provider.degraded) ?? [];
  if (degraded.length === 0) return null;
  return (
    <div>
      <Text fw={600} size="sm">
        {t.degradedTitle}
      </Text>
      <List size="sm">
        {degraded.map(({ provider, name, degraded_reason }) => (
          <List.Item key={provider}>
            <Anchor component={Link} to={`/console/providers/${provider}`} inherit>
              {name}
            </Anchor>
            : {degraded_reason && shared.degraded[degraded_reason].why}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
