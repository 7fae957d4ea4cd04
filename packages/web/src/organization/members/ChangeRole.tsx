import type { Member } from '@gatehouse/contract';
import { Button, Radio, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { queries } from '../../app/query.ts';
import { reloadSession, useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { type Role, rolesUpTo } from '../ranks.ts';
import { useText } from '../text.ts';

interface Props {
  readonly member: Member;
}

const nameOf = ({ display_name, email }: Member): string => display_name || email;

export function ChangeRole({ member }: Props) {
  const t = useText().changeRole;
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" size="xs" aria-label={`${t.action}: ${nameOf(member)}`} onClick={open}>
        {t.action}
      </Button>
      <FormDialog opened={opened} onClose={close} title={t.title(nameOf(member))}>
        <Form member={member} onClose={close} />
      </FormDialog>
    </>
  );
}

function Form({ member, onClose }: Props & { onClose: () => void }) {
  const words = useWords();
  const text = useText();
  const t = text.changeRole;
  const { user, capabilities } = useSession();
  const [role, setRole] = useState<Role>(member.role);
  const isMe = member.user_id === user.user_id;
  const isChanged = role !== member.role;
  const save = async (next: Role) => {
    await client.members.changeRole(user.organization_id, member.user_id, { role: next });
    await Promise.all([queries.invalidateQueries({ queryKey: ['members'] }), isMe && reloadSession()]);
  };
  const change = useAction(async () => {
    await save(role);
    // A user who has lowered their own role cannot raise it again.
    showToast(t.changed(nameOf(member)), isMe ? undefined : () => save(member.role));
    onClose();
  });
  useUnsaved(isChanged && !change.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) void change.run();
    else onClose();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Radio.Group aria-label={text.role} value={role} onChange={(value) => setRole(value as Role)}>
          <Stack gap="sm">
            {rolesUpTo(capabilities.role).map((choice) => (
              <Radio
                key={choice}
                value={choice}
                label={words.roles[choice]}
                description={text.roleHints[choice]}
                data-autofocus={choice === role || undefined}
              />
            ))}
          </Stack>
        </Radio.Group>
        {isMe && (
          <Text size="sm" c="dimmed">
            {t.yourself}
          </Text>
        )}
        <ErrorNote error={change.error} sentences={{ conflict: t.lastOwner, forbidden: t.forbidden }} />
        <FormButtons verb={words.save} busy={change.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
