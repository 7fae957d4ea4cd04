import type { Member } from '@gatehouse/contract';
import { Radio, Stack } from '@mantine/core';
import { DialogButton } from '../../app/CreateDialog.tsx';
import { DialogForm } from '../../app/DialogForm.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { queries } from '../../app/query.ts';
import { reloadSession, useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { useWords } from '../../ui/words.ts';
import { type Role, rolesUpTo } from '../ranks.ts';
import { useText } from '../text.ts';

interface Props {
  readonly member: Member;
}

const nameOf = ({ display_name, email }: Member): string => display_name || email;

export function ChangeRole({ member }: Props) {
  const t = useText().changeRole;
  const name = nameOf(member);
  return (
    <DialogButton size="xs" verb={t.action} label={`${t.action}: ${name}`} title={t.title(name)}>
      <Form member={member} />
    </DialogButton>
  );
}

function Form({ member }: Props) {
  const words = useWords();
  const text = useText();
  const t = text.changeRole;
  const close = useCloseDialog();
  const { user, capabilities } = useSession();
  const isMe = member.user_id === user.user_id;
  const save = async (role: Role) => {
    await client.members.changeRole(user.organization_id, member.user_id, { role });
    await Promise.all([queries.invalidateQueries({ queryKey: ['members'] }), isMe && reloadSession()]);
  };
  const form = useForm({
    values: { role: member.role },
    send: async ({ role }) => {
      if (role !== member.role) {
        await save(role);
        // A user who has lowered their own role cannot raise it again.
        showToast(t.changed(nameOf(member)), isMe ? undefined : () => save(member.role));
      }
      close();
    },
  });
  return (
    <DialogForm form={form} verb={words.save} sentences={{ conflict: t.lastOwner, forbidden: t.forbidden }}>
      <Radio.Group aria-label={text.role} {...form.field('role')}>
        <Stack gap="sm">
          {rolesUpTo(capabilities.role).map((choice) => (
            <Radio
              key={choice}
              value={choice}
              label={words.roles[choice]}
              description={text.roleHints[choice]}
              data-autofocus={choice === form.values.role || undefined}
            />
          ))}
        </Stack>
      </Radio.Group>
      {isMe && <Dimmed>{t.yourself}</Dimmed>}
    </DialogForm>
  );
}
