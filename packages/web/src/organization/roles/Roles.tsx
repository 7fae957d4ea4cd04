import type { Role } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { ListPage } from '../../app/ListPage.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { useRoleColumns } from '../../roles/columns.tsx';
import { DeleteRole } from '../../roles/DeleteRole.tsx';
import { choicesOf, mayGive, permissionsIn } from '../../roles/permissions.ts';
import { RoleEditor } from '../../roles/RoleEditor.tsx';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';
import { Affected } from './Affected.tsx';
import { permissionsQuery, reloadRoles, rolesQuery } from './query.ts';

export function Page() {
  const t = useText().roles;
  const { user, capabilities } = useSession();
  const organization = user.organization_id;
  const mayManage = usePermission('roles.manage');
  const declared = useQuery({ ...permissionsQuery(organization), enabled: mayManage });
  const roles = useSuspenseQuery(rolesQuery(organization)).data.items;
  const columns = useRoleColumns({ marksGlobal: true });
  const form = {
    choices: choicesOf({
      used: [...capabilities.permissions, ...permissionsIn(roles)],
      declared: declared.data?.items ?? [],
    }),
    mayGive: (name: string) => mayGive(capabilities, [name]),
  };
  const actions = (role: Role) => {
    if (role.organization_id === null) return null;
    if (!mayGive(capabilities, role.permissions)) return <Text size="sm">{t.notYours}</Text>;
    return (
      <>
        <RoleEditor
          {...form}
          role={role}
          save={async (body) => {
            await client.roles.change(organization, role.id, body);
            await reloadRoles();
          }}
        />
        <DeleteRole
          role={role}
          affected={<Affected role={role} />}
          work={async () => {
            await client.roles.remove(organization, role.id);
            await reloadRoles();
          }}
        />
      </>
    );
  };
  const create = (
    <RoleEditor
      {...form}
      save={async (body) => {
        await client.roles.create(organization, body);
        await reloadRoles();
      }}
    />
  );
  return (
    <ListPage
      title={t.title}
      lead={mayManage ? t.lead : t.readOnly}
      actions={mayManage && create}
      data={{ items: roles }}
      icon="shield"
      empty={t.empty}
      emptyHint={mayManage && t.emptyHint}
      keyOf={({ id }) => id}
      columns={columns}
      rowActions={mayManage ? actions : undefined}
    />
  );
}
