import { Button, Group, NavLink, Popover, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { client } from '../ui/client.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { useAction } from '../ui/use-action.ts';
import { Face } from './Face.tsx';
import classes from './Menu.module.css';
import { Preferences } from './Preferences.tsx';
import { useMe } from './session.ts';
import { useText } from './text.ts';
import { UserLine } from './UserLine.tsx';

export function UserMenu() {
  const t = useText();
  const me = useMe();
  const [opened, { toggle, close }] = useDisclosure();
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
      // Opens the dropdown below the bottom border of the header.
      offset={14}
      width={320}
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <Button variant="subtle" color="gray" px="xs" flex="none" className={classes.target} onClick={toggle}>
          <Group gap="xs" wrap="nowrap">
            <span className="visually-hidden">{t.menuOf(name)}</span>
            <Face name={name} src={me.avatar_url} size={28} />
            <Text size="sm" visibleFrom="md" truncate maw={180} aria-hidden="true">
              {name}
            </Text>
          </Group>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.menuOf(name)}>
        <Stack gap="sm">
          <UserLine user={me} />
          <ErrorNote error={leave.error} />
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
