import type { Role } from '@gatehouse/contract';
import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { queries } from '../../app/query.ts';
import { usePlatformRole } from '../../app/session.ts';
import { DeleteRole } from '../../roles/DeleteRole.tsx';
import { choicesOf, permissionsIn } from '../../roles/permissions.ts';
import { RoleEditor } from '../../roles/RoleEditor.tsx';
import { RoleTable } from '../../roles/RoleTable.tsx';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { PERMISSIONS_QUERY } from '../permissions/query.ts';
import { useText } from '../permissions/text.ts';
import { ReadOnly } from '../ReadOnly.tsx';
import { useConsoleText } from '../text.ts';

export function Page() {
  const t = useText().roles;
  // Loads this text with the page: a component that suspends for it later would replace the page by the fallback.
  useConsoleText();
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
    <>
      <PageHead title={t.title} lead={t.lead} actions={mayChange && create} />
      <Stack>
        {!mayChange && <ReadOnly />}
        <Panel>
          {roles.length === 0 ? (
            <Empty icon="shield" title={t.empty}>
              {t.emptyHint}
            </Empty>
          ) : (
            <RoleTable label={t.title} roles={roles} actions={mayChange ? actions : undefined} />
          )}
        </Panel>
      </Stack>
    </>
  );
}
