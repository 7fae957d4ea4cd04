import type { SsoConnection } from '@gatehouse/contract';
import { Radio, Stack, Switch } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { rolesQuery } from '../roles/query.ts';
import { RoleChecks } from '../roles/RoleChecks.tsx';
import { useText as useOrganizationText } from '../text.ts';
import { reloadConnections } from './query.ts';
import { SaveRow } from './SaveRow.tsx';
import { useText } from './text.ts';

const ROLES = ['member', 'admin'] as const;

const rulesOf = ({ create_members, default_role, role_ids, trust_idp_mfa }: SsoConnection) => ({
  create_members,
  default_role,
  role_ids: [...role_ids].sort(),
  trust_idp_mfa,
});

/** Step 4: who becomes a member by signing in, with which roles, and whose second factor counts. */
export function MembersForm({ connection }: { connection: SsoConnection }) {
  const t = useText().members;
  const words = useWords();
  const { roleHints } = useOrganizationText();
  const { organization_id } = useSession().user;
  const roles = useSuspenseQuery(rolesQuery(organization_id)).data.items;
  const [rules, setRules] = useState(() => rulesOf(connection));
  const save = useAction(async () => {
    await client.ssoConnections.change(organization_id, connection.id, rules);
    showToast(t.saved);
    await reloadConnections();
  });
  const isChanged = JSON.stringify(rules) !== JSON.stringify(rulesOf(connection));
  useUnsaved(isChanged && !save.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
  return (
    <Panel title={t.title} lead={t.lead}>
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Switch
            label={t.create}
            description={t.createHint}
            checked={rules.create_members}
            onChange={(event) => setRules({ ...rules, create_members: event.currentTarget.checked })}
          />
          {rules.create_members && (
            <>
              <Radio.Group
                label={t.role}
                value={rules.default_role}
                onChange={(value) => setRules({ ...rules, default_role: value as (typeof ROLES)[number] })}
              >
                <Stack gap="xs" mt="xs">
                  {ROLES.map((role) => (
                    <Radio key={role} value={role} label={words.roles[role]} description={roleHints[role]} />
                  ))}
                </Stack>
              </Radio.Group>
              {roles.length > 0 && (
                <RoleChecks
                  roles={roles}
                  value={rules.role_ids}
                  onChange={(role_ids) => setRules({ ...rules, role_ids: [...role_ids].sort() })}
                />
              )}
            </>
          )}
          <Switch
            label={t.trust}
            description={t.trustHint}
            checked={rules.trust_idp_mfa}
            onChange={(event) => setRules({ ...rules, trust_idp_mfa: event.currentTarget.checked })}
          />
          <SaveRow error={save.error} sentences={{ forbidden: t.forbidden }} busy={save.busy} isChanged={isChanged} />
        </Stack>
      </form>
    </Panel>
  );
}
