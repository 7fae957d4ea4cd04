import type { SsoConnection } from '@gatehouse/contract';
import { Anchor, Fieldset, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CheckList } from '../../app/CheckList.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { domainsQuery } from '../domains/query.ts';
import { connectionsQuery, reloadConnections } from './query.ts';
import { SaveRow } from './SaveRow.tsx';
import { useText } from './text.ts';

/** Step 3: the verified domains of the organization that use this connection. One domain uses one connection. */
export function DomainsForm({ connection }: { connection: SsoConnection }) {
  const text = useText();
  const t = text.scope;
  const { organization_id } = useSession().user;
  const domains = useSuspenseQuery(domainsQuery(organization_id)).data.items;
  const others = useSuspenseQuery(connectionsQuery(organization_id)).data.items.filter(
    ({ id }) => id !== connection.id,
  );
  const verified = domains.filter(({ status }) => status === 'verified').map(({ domain }) => domain);
  const form = useForm({
    values: { domains: connection.domains as readonly string[] },
    send: async ({ domains: chosen }) => {
      await client.ssoConnections.change(organization_id, connection.id, { domains: [...chosen] });
      showToast(t.saved);
      await reloadConnections();
    },
  });
  const chosen = form.values.domains;
  const userOf = (domain: string) => others.find((other) => other.domains.includes(domain))?.name;
  const loses = connection.status === 'active' && connection.domains.some((domain) => !chosen.includes(domain));
  return (
    <Panel title={t.title} lead={t.lead}>
      {verified.length === 0 ? (
        <Text size="sm">
          {t.none}{' '}
          <Anchor component={Link} to="/organization/domains" size="sm" underline="always">
            {text.domainFirst.link}
          </Anchor>
        </Text>
      ) : (
        <form {...form.props}>
          <Stack>
            <Fieldset legend={t.label}>
              <Stack gap="sm">
                <CheckList
                  items={verified.map((domain) => {
                    const user = userOf(domain);
                    return {
                      value: domain,
                      description: user && t.usedBy(user),
                      disabled: user !== undefined,
                    };
                  })}
                  {...form.field('domains')}
                />
              </Stack>
            </Fieldset>
            <SaveRow
              form={form}
              warning={loses && t.ends}
              sentences={{ conflict: loses ? text.required : text.taken, invalid_input: text.rejected }}
            />
          </Stack>
        </form>
      )}
    </Panel>
  );
}
