import type { Role } from '@gatehouse/contract';
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton } from '../app/ConfirmButton.tsx';
import { showToast } from '../app/toast-store.ts';
import { useText } from './text.ts';

interface Props {
  readonly role: Role;
  readonly affected?: ReactNode;
  readonly work: () => Promise<unknown>;
}

export function DeleteRole({ role, affected, work }: Props) {
  const t = useText();
  return (
    <ConfirmButton
      label={`${t.remove}: ${role.name}`}
      title={t.removeTitle(role.name)}
      question={
        <Stack gap="xs">
          <Text>{t.removeQuestion}</Text>
          {affected}
        </Stack>
      }
      verb={t.remove}
      sentences={{ forbidden: t.forbidden, rate_limited: t.limited }}
      work={async () => {
        await work();
        showToast(t.deleted(role.name));
      }}
    />
  );
}
