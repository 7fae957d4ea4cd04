import { Button, Divider, Group, NavLink, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { client } from '../ui/client.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { useAction } from '../ui/use-action.ts';
import classes from './Menu.module.css';
import { NewOrganization } from './NewOrganization.tsx';
import { useHome, useIsSso, useMe, useSession } from './session.ts';
import { useText } from './text.ts';

const SEARCH_ABOVE = 7;

export function OrganizationMenu() {
  const t = useText().organizationMenu;
  const me = useMe();
  const { user } = useSession();
  const isSso = useIsSso();
  const [opened, { toggle, close }] = useDisclosure();
  const [creating, { open: startCreating, close: stopCreating }] = useDisclosure();
  const [filter, setFilter] = useState('');
  // Loads a new page: everything on this one belongs to the old session.
  const change = useAction(async (organization_id: string) => {
    await client.session.switchOrganization(organization_id);
    location.assign('/organization/members');
  });
  const name = useHome()?.organization_name ?? '';
  const sought = filter.trim().toLowerCase();
  const shown = me.memberships.filter(({ organization_name }) => organization_name.toLowerCase().includes(sought));
  return (
    <>
      <Popover
        opened={opened}
        onDismiss={close}
        position="bottom-start"
        // Opens the dropdown below the bottom border of the header.
        offset={14}
        width={300}
        trapFocus
        returnFocus
        withinPortal={false}
      >
        <Popover.Target>
          <Button variant="subtle" color="gray" px="xs" className={classes.target} onClick={toggle}>
            <Group gap={6} wrap="nowrap" miw={0}>
              <span className="visually-hidden">{t.label(name)}</span>
              <Icon name="building" />
              <Text size="sm" truncate className={classes.organization} aria-hidden="true">
                {name}
              </Text>
              <Icon name="choice" size={13} />
            </Group>
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t.title}>
          <Stack gap="xs">
            <ErrorNote error={change.error} sentences={{ forbidden: t.refused }} />
            {me.memberships.length > SEARCH_ABOVE && (
              <TextInput
                type="search"
                size="xs"
                aria-label={t.filter}
                placeholder={t.filter}
                value={filter}
                onChange={(event) => setFilter(event.currentTarget.value)}
              />
            )}
            <ul className={classes.list} aria-label={t.title}>
              {shown.map(({ organization_id, organization_name }) => {
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
            {!isSso && (
              <>
                <Divider />
                <NavLink
                  component="button"
                  type="button"
                  className={classes.item}
                  label={t.create}
                  leftSection={<Icon name="add" />}
                  onClick={() => {
                    close();
                    startCreating();
                  }}
                />
              </>
            )}
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <NewOrganization opened={creating} onClose={stopCreating} />
    </>
  );
}
