import type { Invitation } from '@gatehouse/contract';
import { Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { Empty } from '../../app/Empty.tsx';
import { Listing } from '../../app/Listing.tsx';
import { queries } from '../../app/query.ts';
import { useFilters } from '../../app/search.ts';
import { useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { choiceFrom, pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import classes from '../members/Members.module.css';
import { ranksWith } from '../ranks.ts';
import { rolesQuery } from '../roles/query.ts';
import { useText } from '../text.ts';

const TONES = { pending: 'warn', accepted: 'good', revoked: 'plain', expired: 'plain' } as const;
const STATES = ['pending', 'accepted', 'revoked', 'expired'] as const;

export function InvitationList() {
  const words = useWords();
  const text = useText();
  const t = text.invitations;
  const { organization_id } = useSession().user;
  const { data: roles } = useQuery(rolesQuery(organization_id));
  const [filters, setFilters] = useFilters();
  const status = choiceFrom(STATES, filters.status);
  const page = pageFrom(filters.page);
  const { data, isPlaceholderData } = useList(['invitations', organization_id, { status, page }], () =>
    client.invitations.list(organization_id, { status, page, page_size: '50' }),
  );
  const columns: Column<Invitation>[] = [
    {
      head: t.email,
      cell: ({ email, inviter_email }) => (
        <div>
          <Text size="sm" fw={550}>
            {email}
          </Text>
          <Dimmed>{t.by(inviter_email)}</Dimmed>
        </div>
      ),
    },
    {
      head: text.role,
      cell: ({ role, role_ids }) => (
        <Group gap={6}>
          <span className={classes.role}>{words.roles[role]}</span>
          {roles?.items
            .filter(({ id }) => role_ids.includes(id))
            .map(({ id, name }) => (
              <Tag key={id}>{name}</Tag>
            ))}
        </Group>
      ),
    },
    { head: text.status, cell: ({ status }) => <Tag tone={TONES[status]}>{t.states[status]}</Tag> },
    { head: t.sentAt, cell: ({ created_at }) => <Moment at={created_at} />, short: true },
    {
      head: t.validUntil,
      cell: ({ status, expires_at }) => (status === 'pending' ? <Moment at={expires_at} /> : null),
      short: true,
    },
  ];
  return (
    <Panel title={t.list}>
      <NativeSelect
        label={t.filter}
        value={status ?? ''}
        onChange={(event) => setFilters({ status: event.currentTarget.value, page: undefined })}
        data={[{ value: '', label: t.all }, ...STATES.map((value) => ({ value, label: t.states[value] }))]}
        maw={220}
      />
      <Listing
        data={data}
        empty={
          <Empty icon="mail" title={t.none}>
            {status ? t.noneFound : t.noneYet}
          </Empty>
        }
      >
        {(items) => (
          <DataTable
            label={t.list}
            items={items}
            keyOf={({ id }) => id}
            columns={columns}
            actions={(invitation) => <Actions invitation={invitation} />}
            waiting={isPlaceholderData}
          />
        )}
      </Listing>
    </Panel>
  );
}

/** Only for users who could have sent the invitation themselves. */
function Actions({ invitation: { id, email, role, status } }: { invitation: Invitation }) {
  const text = useText();
  const t = text.invitations;
  const { user, capabilities } = useSession();
  if (!ranksWith(capabilities.role, role)) return null;
  const reload = () => queries.invalidateQueries({ queryKey: ['invitations'] });
  return (
    <>
      {(status === 'pending' || status === 'expired') && (
        <ConfirmButton
          label={`${t.resend}: ${email}`}
          title={t.resendTitle}
          question={t.resendQuestion(email)}
          verb={t.resend}
          danger={false}
          sentences={{
            conflict: t.resendClash,
            rate_limited: t.tooMany,
            forbidden: text.changeRole.forbidden,
          }}
          work={async () => {
            await client.invitations.resend(user.organization_id, id);
            await reload();
          }}
        />
      )}
      {status === 'pending' && (
        <ConfirmButton
          label={`${t.revoke}: ${email}`}
          title={t.revokeTitle}
          question={t.revokeQuestion(email)}
          verb={t.revoke}
          sentences={{ conflict: t.revokeClash, forbidden: text.changeRole.forbidden }}
          work={async () => {
            await client.invitations.revoke(user.organization_id, id);
            await reload();
          }}
        />
      )}
    </>
  );
}
