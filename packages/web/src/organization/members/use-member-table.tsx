import type { Member } from '@gatehouse/contract';
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import type { Column } from '../../app/DataTable.tsx';
import { LeaveButton, useLeaveHint } from '../../app/LeaveButton.tsx';
import { queries } from '../../app/query.ts';
import { useHome, usePermission, useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { UserLine } from '../../app/UserLine.tsx';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { useWords } from '../../ui/words.ts';
import { ranksWith } from '../ranks.ts';
import { rolesQuery } from '../roles/query.ts';
import { connectionsQuery } from '../sso/query.ts';
import { useText } from '../text.ts';
import { AssignRoles } from './AssignRoles.tsx';
import { ChangeRole } from './ChangeRole.tsx';
import classes from './Members.module.css';
import { UnlinkButton } from './UnlinkButton.tsx';

/** Returns the columns of the table, and the buttons of a row. */
export function useMemberTable() {
  const words = useWords();
  const text = useText();
  const t = text.members;
  const { user, capabilities } = useSession();
  const mayChange = usePermission('members.update_role');
  const mayRemove = usePermission('members.remove');
  const mayAssign = usePermission('roles.manage');
  const leaveHint = useLeaveHint();
  const { data: roles } = useQuery({ ...rolesQuery(user.organization_id), enabled: mayAssign });
  const mayUnlink = usePermission('sso.manage');
  const { data: connections } = useQuery({ ...connectionsQuery(user.organization_id), enabled: mayUnlink });
  const ssoDomains = connections?.items.flatMap(({ domains }) => domains) ?? [];
  const columns: Column<Member>[] = [
    {
      head: t.member,
      cell: (member) => (
        <>
          <UserLine user={member}>
            {member.user_id === user.user_id && <Tag>{t.you}</Tag>}
            {member.status === 'disabled' && <Tag tone="bad">{t.disabled}</Tag>}
          </UserLine>
          {member.user_id === user.user_id && leaveHint && (
            <Text size="xs" c="dimmed" mt={4} maw="18rem">
              {leaveHint}
            </Text>
          )}
        </>
      ),
    },
    {
      head: text.role,
      cell: (member) => (
        <Group gap={6}>
          <span className={classes.role}>{words.roles[member.role]}</span>
          {member.roles.map(({ id, name }) => (
            <Tag key={id}>{name}</Tag>
          ))}
        </Group>
      ),
    },
    {
      head: t.twoSteps,
      cell: ({ mfa_enabled }) => (mfa_enabled ? <Tag tone="good">{t.on}</Tag> : <Tag>{t.off}</Tag>),
    },
    { head: t.since, cell: ({ joined_at }) => <Moment at={joined_at} />, short: true },
  ];
  const actions = (member: Member) => {
    const isMe = member.user_id === user.user_id;
    const isInReach = ranksWith(capabilities.role, member.role);
    return (
      <>
        {mayChange && isInReach && <ChangeRole member={member} />}
        {mayAssign && isInReach && roles && roles.items.length > 0 && (
          <AssignRoles member={member} roles={roles.items} />
        )}
        {ssoDomains.some((domain) => member.email.endsWith(`@${domain}`)) && <UnlinkButton member={member} />}
        {isMe ? <LeaveButton /> : mayRemove && isInReach && <RemoveButton member={member} />}
      </>
    );
  };
  return { columns, actions };
}

function RemoveButton({ member }: { member: Member }) {
  const text = useText();
  const t = text.remove;
  const { organization_id } = useSession().user;
  const name = member.display_name || member.email;
  return (
    <ConfirmButton
      label={`${t.action}: ${name}`}
      title={t.title}
      question={t.question(name, useHome()?.organization_name ?? '')}
      verb={t.action}
      sentences={{ conflict: t.nobodyInCharge, forbidden: text.changeRole.forbidden }}
      work={async () => {
        await client.members.remove(organization_id, member.user_id);
        await queries.invalidateQueries({ queryKey: ['members'] });
      }}
    />
  );
}
