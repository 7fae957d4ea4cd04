import type { Member, Role } from '@gatehouse/contract';
import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { mayGive } from '../../roles/permissions.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { reloadRoles } from '../roles/query.ts';
import { RoleChecks } from '../roles/RoleChecks.tsx';
import { useText } from '../text.ts';

interface Props {
  readonly member: Member;
  readonly roles: readonly Role[];
}

const nameOf = ({ display_name, email }: Member): string => display_name || email;

/** Assigns roles besides owner, admin or member. */
export function AssignRoles({ member, roles }: Props) {
  const t = useText().roles;
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" size="xs" aria-label={`${t.assign}: ${nameOf(member)}`} onClick={open}>
        {t.assign}
      </Button>
      <FormDialog opened={opened} onClose={close} title={t.assignTitle(nameOf(member))}>
        <Form member={member} roles={roles} onClose={close} />
      </FormDialog>
    </>
  );
}

function Form({ member, roles, onClose }: Props & { onClose: () => void }) {
  const text = useText();
  const t = text.roles;
  const words = useWords();
  const { user, capabilities } = useSession();
  const before = member.roles.map(({ id }) => id);
  // The service checks old and new roles: nothing can be changed if the member has a role that the viewer may not give.
  const isClosed = roles.some(({ id, permissions }) => before.includes(id) && !mayGive(capabilities, permissions));
  const [chosen, setChosen] = useState<readonly string[]>(before);
  const save = async (role_ids: readonly string[]) => {
    await client.members.setRoles(user.organization_id, member.user_id, { role_ids: [...role_ids] });
    await reloadRoles();
  };
  const assign = useAction(async () => {
    await save(chosen);
    showToast(t.assigned(nameOf(member)), () => save(before));
    onClose();
  });
  const isChanged = chosen.length !== before.length || chosen.some((id) => !before.includes(id));
  useUnsaved(isChanged && !assign.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) void assign.run();
    else onClose();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {isClosed && <Text size="sm">{t.assignClosed}</Text>}
        <RoleChecks roles={roles} value={chosen} onChange={setChosen} isClosed={isClosed} />
        <ErrorNote
          error={assign.error}
          sentences={{ forbidden: text.changeRole.forbidden, invalid_input: t.gone, rate_limited: t.limited }}
        />
        <FormButtons verb={words.save} busy={assign.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
