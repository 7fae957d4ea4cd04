import type { SsoConnection } from '@gatehouse/contract';
import { Anchor, Checkbox, Fieldset, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
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
  const [chosen, setChosen] = useState<readonly string[]>(connection.domains);
  const save = useAction(async () => {
    await client.ssoConnections.change(organization_id, connection.id, { domains: [...chosen] });
    showToast(t.saved);
    await reloadConnections();
  });
  const isChanged = [...chosen].sort().join() !== [...connection.domains].sort().join();
  useUnsaved(isChanged && !save.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
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
        <form onSubmit={submit}>
          <Stack>
            <Fieldset legend={t.label}>
              <Stack gap="sm">
                {verified.map((domain) => {
                  const user = userOf(domain);
                  return (
                    <Checkbox
                      key={domain}
                      label={domain}
                      description={user && t.usedBy(user)}
                      disabled={user !== undefined}
                      checked={chosen.includes(domain)}
                      onChange={({ currentTarget: { checked } }) =>
                        setChosen(checked ? [...chosen, domain] : chosen.filter((other) => other !== domain))
                      }
                    />
                  );
                })}
              </Stack>
            </Fieldset>
            <SaveRow
              warning={loses && t.ends}
              error={save.error}
              sentences={{ conflict: loses ? text.required : text.taken, invalid_input: text.rejected }}
              busy={save.busy}
              isChanged={isChanged}
            />
          </Stack>
        </form>
      )}
    </Panel>
  );
}
