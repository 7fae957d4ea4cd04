import type { Member } from '@gatehouse/contract';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { queries } from '../../app/query.ts';
import { useHome, useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';

export function RemoveButton({ member }: { member: Member }) {
  const text = useText();
  const t = text.remove;
  const { organization_id } = useSession().user;
  const name = member.display_name || member.email;
  return (
    <ConfirmButton
      label={`${t.action}: ${name}`}
      title={t.title}
      question={t.question(name, useHome()?.organization_name ?? '')}
      verb={t.action}
      sentences={{ conflict: t.nobodyInCharge, forbidden: text.changeRole.forbidden }}
      work={async () => {
        await client.members.remove(organization_id, member.user_id);
        await queries.invalidateQueries({ queryKey: ['members'] });
      }}
    >
      {t.action}
    </ConfirmButton>
  );
}
