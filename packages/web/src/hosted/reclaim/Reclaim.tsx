import { isGatehouseError } from '@gatehouse/client';
import type { SessionUser, SignInOptions } from '@gatehouse/contract';
import { useCallback, useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Created } from '../Created.tsx';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { Button } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { leaveFor } from '../target.ts';
import { type Credentials, findCredentials } from './find.ts';
import { Item, Items } from './Items.tsx';
import { Reclaimed } from './Reclaimed.tsx';

const ORDER = ['password', 'passkey', 'identity', 'totp'] as const;

interface Props {
  readonly user: SessionUser;
  readonly options: SignInOptions;
  readonly target: string;
  /** Called if the sign-in is too old to remove credentials: restarts it, with a message. */
  readonly onRestart: (note: string) => void;
}

/**
 * Follows a sign-in by emailed code to an account whose email was never verified: the user keeps or removes the
 * unproven credentials.
 */
export function Reclaim({ user, options, target, onRestart }: Props) {
  const t = useResultText().reclaim;
  const { language } = useLanguage();
  const [isRemoved, setRemoved] = useState(false);
  const { account, unproven_credentials = [] } = user.extensions;
  const kinds = ORDER.filter((kind) => unproven_credentials.includes(kind));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each session
  const load = useCallback(() => findCredentials(kinds, options), [user.session_family_id]);
  const remove = useAction(async () => {
    try {
      await client.session.reclaim();
    } catch (error) {
      if (!isGatehouseError(error, 'forbidden')) throw error;
      await client.session.signOut();
      return onRestart(t.tooLate);
    }
    setRemoved(true);
  });
  if (isRemoved) return <Reclaimed user={user} target={target} />;
  const names = new Intl.ListFormat(language).format(kinds.map((kind) => t.credentials[kind]));
  return (
    <Loaded load={load}>
      {(found) => (
        <Frame
          title={t.title}
          lead={
            <>
              {account && <Created at={account.created_at} device={account.device} />} {t.unproven(names)}
            </>
          }
        >
          <CredentialList credentials={found} />
          <p className="small">{t.removes}</p>
          <ErrorNote error={remove.error} />
          <Button disabled={remove.busy} onClick={() => void leaveFor(target)}>
            {t.keep}
          </Button>
          <Button variant="danger" loading={remove.busy} onClick={() => void remove.run()}>
            {t.remove}
          </Button>
        </Frame>
      )}
    </Loaded>
  );
}

function CredentialList({ credentials }: { credentials: Credentials }) {
  const t = useResultText().reclaim;
  const { language } = useLanguage();
  const added = (at: string) => t.items.added(new Date(at).toLocaleDateString(language, { dateStyle: 'long' }));
  return (
    <Items label={t.list}>
      {credentials.has_password && <Item title={t.items.password} />}
      {credentials.passkeys.map(({ id, name, created_at }) => (
        <Item key={id} title={t.items.passkey(name)} detail={added(created_at)} />
      ))}
      {credentials.identities.map(({ id, name, email, linked_at }) => (
        <Item key={id} title={email ? `${name}: ${email}` : name} detail={added(linked_at)} />
      ))}
      {credentials.has_totp && <Item title={t.items.totp} />}
    </Items>
  );
}
