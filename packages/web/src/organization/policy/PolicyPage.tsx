import { useSuspenseQuery } from '@tanstack/react-query';
import { PageHead } from '../../app/PageHead.tsx';
import { useHome, usePermission, useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../text.ts';
import { PolicyFacts } from './PolicyFacts.tsx';
import { PolicyForm } from './PolicyForm.tsx';

export function Page() {
  const t = useText().policy;
  const { organization_id } = useSession().user;
  const name = useHome()?.organization_name ?? '';
  const mayChange = usePermission('policy.manage');
  const { data: policy } = useSuspenseQuery({
    queryKey: ['policy', organization_id],
    queryFn: () => client.organization.policy(organization_id),
  });
  return (
    <>
      <PageHead title={t.title} lead={mayChange ? t.lead(name) : t.readOnly} />
      <Panel title={t.title}>
        {mayChange ? (
          <PolicyForm key={JSON.stringify(policy)} organization_id={organization_id} policy={policy} />
        ) : (
          <PolicyFacts policy={policy} />
        )}
      </Panel>
    </>
  );
}
