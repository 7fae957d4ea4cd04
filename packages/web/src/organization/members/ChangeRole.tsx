import type { Member } from '@gatehouse/contract';
import { Button, Modal, Radio, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { queries } from '../../app/query.ts';
import { reloadSession, useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { type Role, rolesUpTo } from '../ranks.ts';
import { useText } from '../text.ts';

/** Changes the role of a member, up to the role of the signed-in user. */
export function ChangeRole({ member }: { member: Member }) {
  const words = useWords();
  const text = useText();
  const t = text.changeRole;
  const { user, capabilities } = useSession();
  const [opened, { open, close }] = useDisclosure();
  const [role, setRole] = useState<Role>(member.role);
  const name = member.display_name || member.email;
  const isMe = member.user_id === user.user_id;
  const save = async (next: Role) => {
    await client.members.changeRole(user.organization_id, member.user_id, { role: next });
    await Promise.all([queries.invalidateQueries({ queryKey: ['members'] }), isMe && reloadSession()]);
  };
  const change = useAction(async () => {
    if (role === member.role) return;
    await save(role);
    // A user who has lowered their own role cannot raise it again.
    showToast(t.changed(name), isMe ? undefined : () => save(member.role));
  });
  const begin = () => {
    change.clear();
    setRole(member.role);
    open();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await change.run()) close();
  };
  return (
    <>
      <Button variant="default" size="xs" aria-label={`${t.action}: ${name}`} onClick={begin}>
        {t.action}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t.title(name)}
        centered
        closeButtonProps={{ 'aria-label': words.close }}
      >
        <form onSubmit={(event) => void submit(event)}>
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
            <FormButtons verb={words.save} busy={change.busy} onCancel={close} />
          </Stack>
        </form>
      </Modal>
    </>
  );
}
