import type { Member, Role } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { DialogButton } from '../../app/CreateDialog.tsx';
import { DialogForm } from '../../app/DialogForm.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { mayGive } from '../../roles/permissions.ts';
import { client } from '../../ui/client.ts';
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
export function AssignRoles(props: Props) {
  const t = useText().roles;
  const name = nameOf(props.member);
  return (
    <DialogButton size="xs" verb={t.assign} label={`${t.assign}: ${name}`} title={t.assignTitle(name)}>
      <Form {...props} />
    </DialogButton>
  );
}

function Form({ member, roles }: Props) {
  const text = useText();
  const t = text.roles;
  const words = useWords();
  const close = useCloseDialog();
  const { user, capabilities } = useSession();
  const before: readonly string[] = member.roles.map(({ id }) => id);
  // The service checks old and new roles: nothing can be changed if the member has a role that the viewer may not give.
  const isClosed = roles.some(({ id, permissions }) => before.includes(id) && !mayGive(capabilities, permissions));
  const save = async (role_ids: readonly string[]) => {
    await client.members.setRoles(user.organization_id, member.user_id, { role_ids: [...role_ids] });
    await reloadRoles();
  };
  const form = useForm({
    values: { role_ids: before },
    send: async ({ role_ids }) => {
      if (role_ids.length !== before.length || role_ids.some((id) => !before.includes(id))) {
        await save(role_ids);
        showToast(t.assigned(nameOf(member)), () => save(before));
      }
      close();
    },
  });
  return (
    <DialogForm
      form={form}
      verb={words.save}
      sentences={{ forbidden: text.changeRole.forbidden, invalid_input: t.gone, rate_limited: t.limited }}
    >
      {isClosed && <Text size="sm">{t.assignClosed}</Text>}
      <RoleChecks roles={roles} isClosed={isClosed} {...form.field('role_ids')} />
    </DialogForm>
  );
}
