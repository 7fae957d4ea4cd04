import type { SsoConnection } from '@gatehouse/contract';
import { Radio, Stack, Switch } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import { rolesQuery } from '../roles/query.ts';
import { RoleChecks } from '../roles/RoleChecks.tsx';
import { useText as useOrganizationText } from '../text.ts';
import { reloadConnections } from './query.ts';
import { SaveRow } from './SaveRow.tsx';
import { useText } from './text.ts';

const ROLES = ['member', 'admin'] as const;

/** Step 4: who becomes a member by signing in, with which roles, and whose second factor counts. */
export function MembersForm({ connection }: { connection: SsoConnection }) {
  const t = useText().members;
  const words = useWords();
  const { roleHints } = useOrganizationText();
  const { organization_id } = useSession().user;
  const roles = useSuspenseQuery(rolesQuery(organization_id)).data.items;
  const { create_members, default_role, role_ids, trust_idp_mfa } = connection;
  const form = useForm({
    values: { create_members, default_role, role_ids: role_ids as readonly string[], trust_idp_mfa },
    send: async (rules) => {
      const body = { ...rules, role_ids: [...rules.role_ids] };
      await client.ssoConnections.change(organization_id, connection.id, body);
      showToast(t.saved);
      await reloadConnections();
    },
  });
  return (
    <Panel title={t.title} lead={t.lead}>
      <form {...form.props}>
        <Stack gap="lg">
          <Switch label={t.create} description={t.createHint} {...form.toggle('create_members')} />
          {form.values.create_members && (
            <>
              <Radio.Group label={t.role} {...form.field('default_role')}>
                <Stack gap="xs" mt="xs">
                  {ROLES.map((role) => (
                    <Radio key={role} value={role} label={words.roles[role]} description={roleHints[role]} />
                  ))}
                </Stack>
              </Radio.Group>
              {roles.length > 0 && <RoleChecks roles={roles} {...form.field('role_ids')} />}
            </>
          )}
          <Switch label={t.trust} description={t.trustHint} {...form.toggle('trust_idp_mfa')} />
          <SaveRow form={form} sentences={{ forbidden: t.forbidden }} />
        </Stack>
      </form>
    </Panel>
  );
}
