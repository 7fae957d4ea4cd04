import type { Member } from '@gatehouse/contract';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { queries } from '../../app/query.ts';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';

/** Removes the link between a member and their account at the provider, so that the member can link another one. */
export function UnlinkButton({ member }: { member: Member }) {
  const t = useText().unlink;
  const { organization_id } = useSession().user;
  const name = member.display_name || member.email;
  return (
    <ConfirmButton
      label={`${t.action}: ${name}`}
      title={t.title}
      question={t.question(name)}
      verb={t.verb}
      work={async () => {
        await client.members.unlinkSso(organization_id, member.user_id);
        await queries.invalidateQueries({ queryKey: ['members'] });
        showToast(t.done(name));
      }}
    >
      {t.action}
    </ConfirmButton>
  );
}
