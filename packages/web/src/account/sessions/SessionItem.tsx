import type { SessionItem as Session } from '@gatehouse/contract';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { useMe } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { deviceName } from '../../ui/device.ts';
import { Moment } from '../../ui/Moment.tsx';
import { useWords } from '../../ui/words.ts';
import { FactAt, Facts } from '../Facts.tsx';
import { Item } from '../Item.tsx';
import { reloadSessions } from './sessions-query.ts';
import { useText } from './text.ts';

interface Props {
  readonly session: Session;
  readonly onEnded: () => void;
}

export function SessionItem({ session, onEnded }: Props) {
  const t = useText().sessions;
  const words = useWords();
  const { memberships } = useMe();
  const { id, current, ip_address } = session;
  const device = deviceName(session.device, words);
  const organization = memberships.find(({ organization_id }) => organization_id === session.organization_id);
  const end = async () => {
    await client.session.end(id);
    await reloadSessions();
    onEnded();
  };
  const signOut = async () => {
    await client.session.signOut();
    location.assign('/signed-out');
  };
  const action = current ? (
    <ConfirmButton title={t.signOutTitle} question={t.signOutQuestion} verb={t.signOut} work={signOut} />
  ) : (
    <ConfirmButton
      label={t.endLabel(device)}
      title={t.endTitle}
      question={t.endQuestion(device)}
      verb={t.end}
      work={end}
    />
  );
  return (
    <Item
      icon="device"
      title={device}
      badges={
        current && (
          <Tag marked tone="good">
            {t.thisOne}
          </Tag>
        )
      }
      actions={action}
    >
      <Facts>
        <span key="since">
          {t.since} <Moment at={session.created_at} /> {t.by(session.auth_method)}{' '}
          {t.in(organization?.organization_name ?? t.otherOrganization)}
        </span>
        <FactAt name={t.lastUsed} at={session.last_used_at} />
        {ip_address && <span key="ip">{ip_address}</span>}
      </Facts>
    </Item>
  );
}
