import type { Role } from '@gatehouse/contract';
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../app/DataTable.tsx';
import { Tag } from '../app/Tag.tsx';
import { useText } from './text.ts';

interface Props {
  readonly label: string;
  readonly roles: readonly Role[];
  /** Marks global roles, where the list has both kinds. */
  readonly marksGlobal?: boolean;
  readonly actions?: ((role: Role) => ReactNode) | undefined;
}

export function RoleTable({ label, roles, marksGlobal = false, actions }: Props) {
  const t = useText();
  const columns: Column<Role>[] = [
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
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
      ),
    },
    { head: t.slug, cell: ({ slug }) => slug },
    {
      head: t.permissions,
      cell: ({ permissions }) =>
        permissions.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t.noPermissions}
          </Text>
        ) : (
          <Group gap={6}>
            {permissions.map((name) => (
              <Tag key={name}>{name}</Tag>
            ))}
          </Group>
        ),
    },
  ];
  return <DataTable label={label} items={roles} keyOf={({ id }) => id} columns={columns} actions={actions} />;
}
