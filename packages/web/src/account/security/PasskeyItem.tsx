import type { Passkey } from '@gatehouse/contract';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { DialogButton } from '../../app/CreateDialog.tsx';
import { queries } from '../../app/query.ts';
import { PASSKEYS } from '../../app/step-up/sign-in-methods.ts';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { FactAt, Facts } from '../Facts.tsx';
import { Hint } from '../Hint.tsx';
import { Item } from '../Item.tsx';
import { RenamePasskeyForm } from './RenamePasskeyForm.tsx';
import { useText } from './text.ts';

export function PasskeyItem({ passkey }: { passkey: Passkey }) {
  const t = useText().passkeys;
  const { id, name } = passkey;
  const remove = async () => {
    await client.passkeys.remove(id);
    await queries.invalidateQueries({ queryKey: PASSKEYS.queryKey });
  };
  const actions = (
    <>
      <DialogButton size="xs" verb={t.rename} label={t.renameLabel(name)} title={t.renameTitle}>
        <RenamePasskeyForm passkey={passkey} />
      </DialogButton>
      <ConfirmButton
        label={t.removeLabel(name)}
        title={t.removeTitle}
        question={t.removeQuestion(name)}
        verb={t.remove}
        work={remove}
        sentences={{ conflict: t.lastWayIn }}
      />
    </>
  );
  const kind = passkey.device_type === 'multiDevice' ? t.synced : t.single;
  return (
    <Item icon="passkey" title={name} badges={<Tag>{kind}</Tag>} actions={actions}>
      <Facts>
        <FactAt name={t.since} at={passkey.created_at} />
        <FactAt name={t.lastUsed} at={passkey.last_used_at} />
      </Facts>
      {!passkey.usable && <Hint>{t.unusable(passkey.rp_id)}</Hint>}
    </Item>
  );
}
