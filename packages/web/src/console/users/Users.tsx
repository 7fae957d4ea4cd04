import type { User } from '@gatehouse/contract';
import { NativeSelect } from '@mantine/core';
import type { Column } from '../../app/DataTable.tsx';
import { ListPage } from '../../app/ListPage.tsx';
import { SearchField } from '../../app/SearchField.tsx';
import { useFilters } from '../../app/search.ts';
import { useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { UserLine } from '../../app/UserLine.tsx';
import { choiceFrom, pageFrom, useList } from '../../app/use-list.ts';
import { isUuid } from '../../app/uuid.ts';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { useWords } from '../../ui/words.ts';
import { OrganizationSelect } from '../OrganizationSelect.tsx';
import { StatusTag } from './StatusTag.tsx';
import { useText } from './text.ts';
import classes from './Users.module.css';

const STATES = ['active', 'disabled', 'deleted'] as const;

/** Further organizations of a user are only counted. */
const MAX_NAMED = 2;

export function Page() {
  const text = useText();
  const t = text.users;
  const [filters, setFilters] = useFilters();
  const { q } = filters;
  const page = pageFrom(filters.page);
  const status = choiceFrom(STATES, filters.status);
  const organization_id = isUuid(filters.organization_id) ? filters.organization_id : undefined;
  const { data, isPlaceholderData } = useList(['users', { q, status, organization_id, page }], () =>
    client.users.list({ q, status, organization_id, page }),
  );
  return (
    <ListPage
      title={t.title}
      lead={t.lead}
      filters={
        <div className={classes.filters}>
          <SearchField label={t.search} placeholder={t.placeholder} className={classes.search} />
          <OrganizationSelect
            label={t.inOrganization}
            placeholder={t.anyOrganization}
            value={organization_id}
            onChange={(id) => setFilters({ organization_id: id, page: undefined })}
          />
          <NativeSelect
            label={text.status}
            value={status ?? ''}
            onChange={(event) => setFilters({ status: event.currentTarget.value, page: undefined })}
            data={[{ value: '', label: text.all }, ...STATES.map((value) => ({ value, label: t.states[value] }))]}
          />
        </div>
      }
      count={t.count}
      data={data}
      waiting={isPlaceholderData}
      icon="users"
      empty={t.none}
      emptyHint={text.noSearch}
      keyOf={({ id }) => id}
      columns={useColumns()}
    />
  );
}

function useColumns(): Column<User>[] {
  const words = useWords();
  const text = useText();
  const t = text.users;
  const { user_id } = useSession().user;
  const organizationsOf = ({ memberships }: User) => {
    const names = memberships.slice(0, MAX_NAMED).map(({ organization_name }) => organization_name);
    const others = memberships.length - names.length;
    return names.length === 0 ? null : `${names.join(', ')}${others > 0 ? ` ${t.more(others)}` : ''}`;
  };
  return [
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
}
