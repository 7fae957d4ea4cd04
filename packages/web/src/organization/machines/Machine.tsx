import type { ServiceAccount } from '@gatehouse/contract';
import { Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { CopyableId } from '../../app/CopyableId.tsx';
import { Fact, Facts } from '../../app/Facts.tsx';
import { Missing } from '../../app/Missing.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { mayGive } from '../../roles/permissions.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { NotAllowed } from '../NotAllowed.tsx';
import { rolesQuery } from '../roles/query.ts';
import { EditAccount } from './AccountEditor.tsx';
import { Keys } from './Keys.tsx';
import { RoleTags, StateTag } from './Machines.tsx';
import { accountQuery, permissionsOf, reloadMachines } from './query.ts';
import { useText } from './text.ts';

const LIST = '/organization/machines';

export function Page() {
  const t = useText();
  if (!usePermission('machines.manage')) return <NotAllowed icon="machine" title={t.title} reason={t.notYours} />;
  return <Account />;
}

function Account() {
  const t = useText();
  const { user, capabilities } = useSession();
  const { id } = useParams({ strict: false }) as { id: string };
  const account = useSuspenseQuery(accountQuery(user.organization_id, id)).data;
  const roles = useSuspenseQuery(rolesQuery(user.organization_id)).data.items;
  if (!account) return <Missing icon="machine" title={t.missingTitle} hint={t.missing} to={LIST} label={t.toList} />;
  const permissions = permissionsOf(account, roles);
  // The service lets users edit, and create keys for, only accounts whose permissions they all have.
  const isInReach = mayGive(capabilities, permissions);
  return (
    <>
      <PageHead
        above={{ to: LIST, label: t.title }}
        title={account.name}
        lead={account.description}
        actions={isInReach && <EditAccount account={account} />}
      />
      <Stack key={account.id}>
        <Panel title={t.account}>
          {!isInReach && <Text size="sm">{t.outOfReach}</Text>}
          <Facts>
            <Fact name={t.status}>
              <StateTag disabled={account.disabled} />
            </Fact>
            <Fact name={t.roles}>
              <RoleTags roles={account.roles} />
            </Fact>
            <Fact name={t.lastUsed} at={account.last_used_at} />
            <Fact name={t.created} at={account.created_at} />
            <Fact name={t.id}>
              <CopyableId id={account.id} />
            </Fact>
          </Facts>
          <State account={account} />
        </Panel>
        <Keys account={account} permissions={permissions} isInReach={isInReach} />
      </Stack>
    </>
  );
}

function State({ account: { id, name, disabled } }: { account: ServiceAccount }) {
  const t = useText();
  const navigate = useNavigate();
  const { organization_id } = useSession().user;
  const change = async () => {
    await client.serviceAccounts.change(organization_id, id, { disabled: !disabled });
    await reloadMachines();
  };
  const remove = async () => {
    await client.serviceAccounts.remove(organization_id, id);
    showToast(t.remove.done(name));
    await navigate({ to: LIST });
    await reloadMachines();
  };
  return (
    <div>
      <ConfirmButton
        title={disabled ? t.disable.enableTitle(name) : t.disable.title(name)}
        question={disabled ? t.disable.enableQuestion : t.disable.question}
        verb={disabled ? t.disable.enable : t.disable.verb}
        danger={!disabled}
        sentences={{ forbidden: t.form.forbidden }}
        work={change}
        mr="xs"
      />
      <ConfirmButton
        color="red"
        variant="outline"
        title={t.remove.title(name)}
        question={t.remove.question}
        verb={t.remove.verb}
        typed={{ label: t.remove.typed(name), text: name }}
        work={remove}
      />
    </div>
  );
}
