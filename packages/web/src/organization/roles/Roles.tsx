import type { Role } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { DeleteRole } from '../../roles/DeleteRole.tsx';
import { choicesOf, mayGive, permissionsIn } from '../../roles/permissions.ts';
import { RoleEditor } from '../../roles/RoleEditor.tsx';
import { RoleTable } from '../../roles/RoleTable.tsx';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
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
    <>
      <PageHead title={t.title} lead={mayManage ? t.lead : t.readOnly} actions={mayManage && create} />
      <Panel>
        {roles.length === 0 ? (
          <Empty icon="shield" title={t.empty}>
            {mayManage && t.emptyHint}
          </Empty>
        ) : (
          <RoleTable label={t.title} roles={roles} marksGlobal actions={mayManage ? actions : undefined} />
        )}
      </Panel>
    </>
  );
}
