import { isGatehouseError, isSignedOut } from '@gatehouse/client';
import type { CurrentSession } from '@gatehouse/contract';
import { Modal } from '@mantine/core';
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Loading } from '../../ui/Loading.tsx';
import { GaveUp, type Proof, type Prove, ProveContext } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { queries } from '../query.ts';
import { goToSignIn, reloadSession, useMe, useSession } from '../session.ts';
import { Question } from './Question.tsx';
import { useText } from './text.ts';

interface Asked {
  readonly needs: Proof;
  answered(): void;
  closed(): void;
}

const personNow = () => queries.getQueryData<CurrentSession>(['session'])?.user.user_id;

/** The page is about to be left: whoever waits for the outcome waits until then. */
const leaveForSignIn = (): Promise<never> => {
  goToSignIn();
  return new Promise(() => {});
};

/** Where the session turns out to have ended, the way to the sign-in page and back is the only answer. */
const whileSignedIn = <T,>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    if (isSignedOut(error)) return leaveForSignIn();
    throw error;
  });

/**
 * Step-up in place: an action that the service refuses with `mfa_required` waits for the proof it asks for, and is then done again, once. With
 * MFA on that is a code; without, the sign-in once more or, where only a second factor will do, the advice to turn it on.
 */
export function ProofProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const words = useWords();
  const { mfa_enabled } = useMe();
  // What was asked last stays while its dialog fades.
  const [asked, setAsked] = useState<Asked>();
  const [opened, setOpened] = useState(false);
  const open = useRef<Asked>(undefined);

  const ask = useCallback(
    (needs: Proof) =>
      new Promise<void>((resolve, reject) => {
        const end = () => {
          open.current = undefined;
          setOpened(false);
        };
        const next: Asked = {
          needs,
          answered: () => {
            end();
            // How sure the session is, how many codes are left, which sessions there are: much may be different now.
            void queries.invalidateQueries();
            resolve();
          },
          closed: () => {
            end();
            reject(new GaveUp());
          },
        };
        open.current?.closed();
        open.current = next;
        setAsked(next);
        setOpened(true);
      }),
    [],
  );

  const prove: Prove = useCallback(
    async (work, needs) => {
      const person = personNow();
      try {
        return await whileSignedIn(work);
      } catch (error) {
        // Perhaps the page is of somebody who is not signed in any more: then it is loaded anew.
        if (isGatehouseError(error, 'csrf_failed')) void reloadSession();
        if (!isGatehouseError(error, 'mfa_required')) throw error;
      }
      // What is asked for hangs on the account as it is now. And another tab may have signed in as somebody else, who has begun nothing.
      await reloadSession();
      if (personNow() !== person) throw new GaveUp();
      await ask(needs);
      return whileSignedIn(work);
    },
    [ask],
  );

  // Another tab may have signed in as somebody else, or gone to another organization: nothing of before is left standing.
  const { user_id, organization_id } = useSession().user;
  const who = `${user_id} ${organization_id}`;
  const was = useRef(who);
  useEffect(() => {
    if (who !== was.current) location.reload();
  }, [who]);

  // Or it may have signed out: a page that is open would go on to show what was.
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error' && isSignedOut(event.action.error)) goToSignIn();
      }),
    [],
  );

  const way = mfa_enabled ? 'code' : asked?.needs === 'fresh-sign-in' ? 'sign-in' : 'none';
  return (
    <ProveContext value={prove}>
      {children}
      <Modal
        opened={opened}
        onClose={() => asked?.closed()}
        title={way === 'none' ? t.noFactorTitle : t.title}
        centered
        // Above the dialog in which the action was set off.
        zIndex={300}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        {asked && (
          <Suspense fallback={<Loading />}>
            <Question way={way} onDone={asked.answered} onLeave={asked.closed} />
          </Suspense>
        )}
      </Modal>
    </ProveContext>
  );
}
