import type { User } from '@gatehouse/contract';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { UserLine } from '../../app/UserLine.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { useWords } from '../../ui/words.ts';
import { StatusTag } from './StatusTag.tsx';
import { useText } from './text.ts';

interface Props {
  readonly users: readonly User[];
  readonly waiting: boolean;
}

/** Further organizations of a user are only counted. */
const MAX_NAMED = 2;

export function UserTable({ users, waiting }: Props) {
  const words = useWords();
  const text = useText();
  const t = text.users;
  const { user_id } = useSession().user;
  const organizationsOf = ({ memberships }: User) => {
    const names = memberships.slice(0, MAX_NAMED).map(({ organization_name }) => organization_name);
    const others = memberships.length - names.length;
    return names.length === 0 ? null : `${names.join(', ')}${others > 0 ? ` ${t.more(others)}` : ''}`;
  };
  const columns: Column<User>[] = [
    {
      head: t.user,
      cell: (user) => (
        <UserLine user={user} to={`/console/users/${user.id}`}>
          {user.id === user_id && <Tag>{t.you}</Tag>}
          {user.platform_role && <Tag tone="warn">{words.platformRoles[user.platform_role]}</Tag>}
        </UserLine>
      ),
    },
    { head: t.organizations, cell: organizationsOf },
    { head: text.status, cell: ({ status }) => <StatusTag status={status} /> },
    { head: text.created, cell: ({ created_at }) => <Moment at={created_at} />, short: true },
    { head: t.lastSignIn, cell: ({ last_login_at }) => <Moment at={last_login_at} />, short: true },
  ];
  return <DataTable label={t.title} items={users} keyOf={({ id }) => id} columns={columns} waiting={waiting} />;
}
