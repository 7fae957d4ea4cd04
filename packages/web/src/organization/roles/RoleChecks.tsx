import type { Role } from '@gatehouse/contract';
import { Checkbox, Fieldset, Stack } from '@mantine/core';
import { useSession } from '../../app/session.ts';
import { mayGive } from '../../roles/permissions.ts';
import { useText } from '../text.ts';

interface Props {
  readonly roles: readonly Role[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  /** Whether none of the roles can be changed. */
  readonly isClosed?: boolean;
}

/** Selects roles. Roles with permissions that the viewer lacks cannot be changed; the reason is shown. */
export function RoleChecks({ roles, value, onChange, isClosed: allClosed = false }: Props) {
  const t = useText().roles;
  const { capabilities } = useSession();
  return (
    <Fieldset legend={t.label}>
      <Stack gap="sm">
        {roles.map(({ id, name, description, permissions }) => {
          const isClosed = !mayGive(capabilities, permissions);
          return (
            <Checkbox
              key={id}
              label={name}
              description={isClosed ? t.notYours : description}
              disabled={isClosed || allClosed}
              checked={value.includes(id)}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? [...value, id] : value.filter((other) => other !== id))
              }
            />
          );
        })}
      </Stack>
    </Fieldset>
  );
}
