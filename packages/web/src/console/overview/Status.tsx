import { useQuery } from '@tanstack/react-query';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { RENEWAL } from '../renewal.ts';
import { Checks } from './Checks.tsx';
import { DegradedProviders } from './DegradedProviders.tsx';
import { useText } from './text.ts';

/** Whether the service can do its work, and what of it cannot be used. */
export function Status() {
  const t = useText();
  const { data, error } = useQuery({
    queryKey: ['readiness'],
    queryFn: () => client.operations.readiness(),
    refetchInterval: RENEWAL,
  });
  return (
    <Panel title={t.status} lead={t.readyLead}>
      <ErrorNote error={error ?? undefined} />
      {data ? <Checks readiness={data} /> : !error && <Loading />}
      {data?.provider_config.degraded && <DegradedProviders />}
    </Panel>
  );
}
