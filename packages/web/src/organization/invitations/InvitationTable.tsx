import type { Invitation } from '@gatehouse/contract';
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { queries } from '../../app/query.ts';
import { useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { useWords } from '../../ui/words.ts';
import classes from '../members/Members.module.css';
import { ranksWith } from '../ranks.ts';
import { rolesQuery } from '../roles/query.ts';
import { useText } from '../text.ts';

interface Props {
  readonly invitations: readonly Invitation[];
  readonly waiting: boolean;
}

const TONES = { pending: 'warn', accepted: 'good', revoked: 'plain', expired: 'plain' } as const;

export function InvitationTable({ invitations, waiting }: Props) {
  const words = useWords();
  const text = useText();
  const t = text.invitations;
  const { data: roles } = useQuery(rolesQuery(useSession().user.organization_id));
  const columns: Column<Invitation>[] = [
    {
      head: t.email,
      cell: ({ email, inviter_email }) => (
        <div>
          <Text size="sm" fw={550}>
            {email}
          </Text>
          <Text size="sm" c="dimmed">
            {t.by(inviter_email)}
          </Text>
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
    <DataTable
      label={t.list}
      items={invitations}
      keyOf={({ id }) => id}
      columns={columns}
      actions={(invitation) => <Actions invitation={invitation} />}
      waiting={waiting}
    />
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
