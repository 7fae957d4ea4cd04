import type { ApiKey, ServiceAccount } from '@gatehouse/contract';
import { Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { Empty } from '../../app/Empty.tsx';
import { useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { NewKey } from './NewKey.tsx';
import { keysQuery, reloadMachines } from './query.ts';
import { RotateKey } from './RotateKey.tsx';
import { useText } from './text.ts';

interface Props {
  readonly account: ServiceAccount;
  readonly permissions: readonly string[];
  /** Whether the viewer has all permissions of the account, and so may create keys. */
  readonly isInReach: boolean;
}

export function Keys({ account, permissions, isInReach }: Props) {
  const text = useText();
  const t = text.keys;
  const { organization_id } = useSession().user;
  const { items } = useSuspenseQuery(keysQuery(organization_id, account.id)).data;
  const columns: Column<ApiKey>[] = [
    {
      head: t.name,
      cell: ({ name, prefix }) => (
        <>
          <Text fw={600}>{name}</Text>
          <code>{prefix}…</code>
        </>
      ),
    },
    { head: t.scopes, cell: ({ scopes }) => (scopes ? <Tags names={scopes} /> : t.everything) },
    {
      head: t.limits,
      cell: ({ allowed_ips, allowed_referrers }) =>
        allowed_ips.length + allowed_referrers.length === 0 ? (
          t.noLimits
        ) : (
          <Tags names={[...allowed_ips, ...allowed_referrers]} />
        ),
    },
    {
      head: t.ends,
      cell: ({ expires_at }) => (expires_at === null ? t.endsNever : <Moment at={expires_at} />),
      short: true,
    },
    { head: text.lastUsed, cell: ({ last_used_at }) => <Moment at={last_used_at} />, short: true },
  ];
  return (
    <Panel title={t.title} lead={t.lead}>
      {items.length === 0 ? (
        <Empty icon="key" title={t.empty}>
          {t.emptyHint}
        </Empty>
      ) : (
        <DataTable
          label={t.title}
          items={items}
          keyOf={({ id }) => id}
          columns={columns}
          actions={(key) => (
            <>
              {isInReach && <RotateKey account={account} apiKey={key} />}
              <EndKey account={account} apiKey={key} />
            </>
          )}
        />
      )}
      {isInReach && <NewKey account={account} permissions={permissions} />}
    </Panel>
  );
}

const Tags = ({ names }: { names: readonly string[] }) => (
  <Group gap={6}>
    {names.map((name) => (
      <Tag key={name}>{name}</Tag>
    ))}
  </Group>
);

function EndKey({ account, apiKey }: { account: ServiceAccount; apiKey: ApiKey }) {
  const t = useText().keys;
  const { organization_id } = useSession().user;
  return (
    <ConfirmButton
      label={`${t.end}: ${apiKey.name}`}
      title={t.endTitle(apiKey.name)}
      question={t.endQuestion}
      verb={t.end}
      work={async () => {
        await client.apiKeys.revoke(organization_id, account.id, apiKey.id);
        await reloadMachines();
        showToast(t.ended(apiKey.name));
      }}
    />
  );
}
