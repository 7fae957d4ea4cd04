import type { Role } from '@gatehouse/contract';
import { Fieldset, Stack } from '@mantine/core';
import { CheckList } from '../../app/CheckList.tsx';
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
  const items = roles.map(({ id, name, description, permissions }) => {
    const isClosed = !mayGive(capabilities, permissions);
    return {
      value: id,
      label: name,
      description: isClosed ? t.notYours : description,
      disabled: isClosed || allClosed,
    };
  });
  return (
    <Fieldset legend={t.label}>
      <Stack gap="sm">
        <CheckList items={items} value={value} onChange={onChange} />
      </Stack>
    </Fieldset>
  );
}
