import type { Organization } from '@gatehouse/contract';
import { useSuspenseQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { queries } from '../../app/query.ts';
import { usePlatformRole } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { PolicyFacts } from '../../organization/policy/PolicyFacts.tsx';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../users/text.ts';

/** The sign-in rules of an organization. A platform admin can reset rules that lock out the owners. */
export function PolicyPanel({ organization: { id, name } }: { organization: Organization }) {
  const text = useText();
  const t = text.organizations;
  const mayReset = usePlatformRole('admin');
  const { data: policy } = useSuspenseQuery({
    queryKey: ['organizations', id, 'policy'],
    queryFn: () => client.organizations.policy(id),
  });
  const { require_mfa, allowed_methods, session_max_age_seconds, allowed_networks } = policy;
  const hasRules = require_mfa || allowed_methods || session_max_age_seconds || allowed_networks.length > 0;
  const reset = async () => {
    await client.organizations.resetPolicy(id);
    await queries.invalidateQueries({ queryKey: ['organizations'] });
    showToast(t.policyWasReset);
  };
  return (
    <Panel title={t.policyTitle} lead={t.policyLead}>
      <PolicyFacts policy={policy} />
      {mayReset && hasRules && (
        <div>
          <ConfirmButton
            size="sm"
            color="red"
            variant="outline"
            title={t.policyResetAsk(name)}
            question={t.policyResetQuestion}
            verb={t.policyReset}
            sentences={{ forbidden: text.user.rankChanged }}
            work={reset}
          />
        </div>
      )}
    </Panel>
  );
}
