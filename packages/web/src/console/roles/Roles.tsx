import type { Role } from '@gatehouse/contract';
import { useSuspenseQuery } from '@tanstack/react-query';
import { ListPage } from '../../app/ListPage.tsx';
import { queries } from '../../app/query.ts';
import { usePlatformRole } from '../../app/session.ts';
import { useRoleColumns } from '../../roles/columns.tsx';
import { DeleteRole } from '../../roles/DeleteRole.tsx';
import { choicesOf, permissionsIn } from '../../roles/permissions.ts';
import { RoleEditor } from '../../roles/RoleEditor.tsx';
import { client } from '../../ui/client.ts';
import { PERMISSIONS_QUERY } from '../permissions/query.ts';
import { useText } from '../permissions/text.ts';
import { ReadOnly } from '../ReadOnly.tsx';

export function Page() {
  const t = useText().roles;
  const mayChange = usePlatformRole('admin');
  const roles = useSuspenseQuery({ queryKey: ['global-roles'], queryFn: () => client.globalRoles.list() }).data.items;
  const declared = useSuspenseQuery(PERMISSIONS_QUERY).data.items;
  const reload = () => queries.invalidateQueries({ queryKey: ['global-roles'] });
  const form = {
    choices: choicesOf({ used: permissionsIn(roles), declared }),
    mayGive: () => true,
  };
  const actions = (role: Role) => (
    <>
      <RoleEditor
        {...form}
        role={role}
        save={async (body) => {
          await client.globalRoles.change(role.id, body);
          await reload();
        }}
      />
      <DeleteRole
        role={role}
        work={async () => {
          await client.globalRoles.remove(role.id);
          await reload();
        }}
      />
    </>
  );
  const create = (
    <RoleEditor
      {...form}
      save={async (body) => {
        await client.globalRoles.create(body);
        await reload();
      }}
    />
  );
  return (
    <ListPage
      title={t.title}
      lead={t.lead}
      actions={mayChange && create}
      notes={!mayChange && <ReadOnly />}
      data={{ items: roles }}
      icon="shield"
      empty={t.empty}
      emptyHint={t.emptyHint}
      keyOf={({ id }) => id}
      columns={useRoleColumns()}
      rowActions={mayChange ? actions : undefined}
    />
  );
}
