import { Button, List, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useOthers } from '../../app/owners.ts';
import { useMe, useSession } from '../../app/session.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Hint } from '../Hint.tsx';
import { DeleteDialog } from './DeleteDialog.tsx';
import { useText } from './text.ts';

/** Deletes the account. The last owner of an organization with other members reads what to do first. */
export function DeletePanel() {
  const t = useText().delete;
  const me = useMe();
  const { user } = useSession();
  const others = useOthers();
  const owned = me.memberships.filter(({ role }) => role === 'owner');
  const current = owned.find(({ organization_id }) => organization_id === user.organization_id);
  const isLast = current !== undefined && others !== undefined && !others.hasOwner;
  const isBlocked = isLast && others.hasMember;
  return (
    <Panel title={t.title} lead={t.lead}>
      <List size="sm" spacing="xs">
        <List.Item>{t.signsOut}</List.Item>
        <List.Item>{t.endsAccess}</List.Item>
        <List.Item>{t.removes}</List.Item>
      </List>
      {isBlocked && (
        <Hint urgent title={t.blockedTitle(current.organization_name)}>
          <Stack gap="sm" align="flex-start">
            <Text size="sm">{t.blocked}</Text>
            <Button variant="default" size="xs" component={Link} to="/organization/members">
              {t.toMembers}
            </Button>
          </Stack>
        </Hint>
      )}
      {isLast && !isBlocked && <Text size="sm">{t.alone(current.organization_name)}</Text>}
      {owned
        .filter((membership) => membership !== current)
        .map(({ organization_id, organization_name }) => (
          <Text key={organization_id} size="sm">
            {t.elsewhere(organization_name)}
          </Text>
        ))}
      {me.platform_role === 'owner' && <Text size="sm">{t.platformOwner}</Text>}
      {!isBlocked && (
        <div>
          <DeleteDialog />
        </div>
      )}
    </Panel>
  );
}
