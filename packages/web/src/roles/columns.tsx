import type { Role } from '@gatehouse/contract';
import { Group, Text } from '@mantine/core';
import type { Column } from '../app/DataTable.tsx';
import { Dimmed } from '../app/Dimmed.tsx';
import { Tag } from '../app/Tag.tsx';
import { useText } from './text.ts';

/** Returns the columns of a table of roles. `marksGlobal` is for a list that has both kinds. */
export function useRoleColumns({ marksGlobal = false } = {}): Column<Role>[] {
  const t = useText();
  return [
    {
      head: t.role,
      cell: ({ name, description, organization_id }) => (
        <div>
          <Group gap="xs">
            <Text size="sm" fw={550}>
              {name}
            </Text>
            {marksGlobal && organization_id === null && <Tag>{t.global}</Tag>}
          </Group>
          {description && <Dimmed>{description}</Dimmed>}
        </div>
      ),
    },
    { head: t.slug, cell: ({ slug }) => slug },
    {
      head: t.permissions,
      cell: ({ permissions }) =>
        permissions.length === 0 ? (
          <Dimmed>{t.noPermissions}</Dimmed>
        ) : (
          <Group gap={6}>
            {permissions.map((name) => (
              <Tag key={name}>{name}</Tag>
            ))}
          </Group>
        ),
    },
  ];
}
