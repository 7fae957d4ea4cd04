import { Button, Group, NavLink, Popover, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { client } from '../ui/client.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { useAction } from '../ui/use-action.ts';
import { Face } from './Face.tsx';
import { Preferences } from './Preferences.tsx';
import { useMe, useSession } from './session.ts';
import { useText } from './text.ts';
import { UserLine } from './UserLine.tsx';
import classes from './UserMenu.module.css';

/** Shows the user and organization of the session, switches to another organization, and signs out. */
export function UserMenu() {
  const t = useText();
  const me = useMe();
  const { user } = useSession();
  const [opened, { toggle, close }] = useDisclosure();
  // Loads a new page: everything on this one belongs to the old session.
  const change = useAction(async (organization_id: string) => {
    await client.session.switchOrganization(organization_id);
    location.assign('/organization/members');
  });
  const leave = useAction(async () => {
    await client.session.signOut();
    location.assign('/signed-out');
  });
  const name = me.display_name || me.email;
  return (
    <Popover
      opened={opened}
      onDismiss={close}
      position="bottom-end"
      // Keeps a distance from the line below the header.
      offset={14}
      width={320}
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <Button variant="subtle" color="gray" px="xs" className={classes.target} onClick={toggle}>
          <Group gap="xs" wrap="nowrap">
            <span className="visually-hidden">{t.menuOf(name)}</span>
            <Face name={name} src={me.avatar_url} size={28} />
            <Text size="sm" visibleFrom="xs" truncate maw={220} aria-hidden="true">
              {name}
            </Text>
          </Group>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.menuOf(name)}>
        <Stack gap="sm">
          <UserLine user={me} />
          <ErrorNote error={change.error} sentences={{ forbidden: t.cannotSwitch }} />
          <ErrorNote error={leave.error} />
          <ul className={classes.organizations} aria-label={t.yourOrganizations}>
            {me.memberships.map(({ organization_id, organization_name }) => {
              const isCurrent = organization_id === user.organization_id;
              return (
                <li key={organization_id}>
                  <NavLink
                    component="button"
                    type="button"
                    className={classes.item}
                    label={isCurrent ? organization_name : t.switchTo(organization_name)}
                    leftSection={<Icon name={isCurrent ? 'check' : 'building'} />}
                    active={isCurrent}
                    aria-current={isCurrent ? 'true' : undefined}
                    disabled={change.busy}
                    onClick={isCurrent ? close : () => void change.run(organization_id)}
                  />
                </li>
              );
            })}
          </ul>
          <Group gap="xs" wrap="nowrap">
            <Preferences />
          </Group>
          <NavLink
            component="button"
            type="button"
            className={classes.item}
            label={t.signOut}
            leftSection={<Icon name="exit" />}
            disabled={leave.busy}
            onClick={() => void leave.run()}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
