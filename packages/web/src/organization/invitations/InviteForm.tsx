import { isGatehouseError } from '@gatehouse/client';
import { Alert, Anchor, Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { queries } from '../../app/query.ts';
import { usePermission, useSession } from '../../app/session.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { settings } from '../../ui/settings.ts';
import { useWords } from '../../ui/words.ts';
import { type Role, rolesUpTo } from '../ranks.ts';
import { rolesQuery } from '../roles/query.ts';
import { RoleChecks } from '../roles/RoleChecks.tsx';
import { useText } from '../text.ts';
import classes from './InviteForm.module.css';

export function InviteForm() {
  const words = useWords();
  const text = useText();
  const t = text.invitations;
  const { user, capabilities } = useSession();
  const mayAssign = usePermission('roles.manage');
  const { data: roles } = useQuery({ ...rolesQuery(user.organization_id), enabled: mayAssign });
  // Stays selected for the next invitation.
  const [role, setRole] = useState<Role>('member');
  const [sent, setSent] = useState<string>();
  const [isMember, setIsMember] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const form = useForm({
    values: { email: '', role_ids: [] as readonly string[] },
    send: async ({ email, role_ids }, reset) => {
      setSent(undefined);
      const { email: to } = await client.invitations
        .create(user.organization_id, { email, role, ...(role_ids.length > 0 && { role_ids: [...role_ids] }) })
        .catch(async (error) => {
          // Already a member or already invited; the list of members shows which.
          if (isGatehouseError(error, 'conflict')) setIsMember(await belongs(user.organization_id, email));
          throw error;
        });
      setSent(to);
      reset();
      await queries.invalidateQueries({ queryKey: ['invitations'] });
      field.current?.focus();
    },
  });
  return (
    <Panel title={t.form} lead={t.formLead}>
      <form {...form.props}>
        <Stack>
          <ErrorNote
            error={form.error}
            sentences={{
              conflict: isMember ? t.isMember : t.isPending,
              invalid_input: words.emailWrong,
              rate_limited: t.tooMany,
              forbidden: text.changeRole.forbidden,
            }}
          />
          <div className={classes.row}>
            <TextInput
              ref={field}
              className={classes.email}
              label={words.email}
              inputMode="email"
              autoCapitalize="none"
              autoComplete="off"
              required
              maxLength={254}
              {...form.field('email')}
            />
            <NativeSelect
              label={text.role}
              value={role}
              onChange={(event) => setRole(event.currentTarget.value as Role)}
              data={rolesUpTo(capabilities.role)
                .reverse()
                .map((value) => ({ value, label: words.roles[value] }))}
            />
            <Button type="submit" loading={form.busy}>
              {t.send}
            </Button>
          </div>
          {roles && roles.items.length > 0 && <RoleChecks roles={roles.items} {...form.field('role_ids')} />}
          <div role="status">
            {sent && (
              <Alert color="green" variant="light">
                {t.sent(sent)}{' '}
                {settings.development && (
                  <Anchor href="/dev/mail" inherit underline="always">
                    {t.seeMails}
                  </Anchor>
                )}
              </Alert>
            )}
          </div>
        </Stack>
      </form>
    </Panel>
  );
}

async function belongs(organization_id: string, email: string): Promise<boolean> {
  const sought = email.trim().toLowerCase();
  const { items } = await client.members.list(organization_id, { q: sought });
  return items.some((member) => member.email === sought);
}
