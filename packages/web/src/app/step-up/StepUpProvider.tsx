import { isGatehouseError, isSignedOut, type StepUp, withStepUp } from '@gatehouse/client';
import type { CurrentSession } from '@gatehouse/contract';
import { Modal } from '@mantine/core';
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Loading } from '../../ui/Loading.tsx';
import { type RunWithStepUp, StepUpCancelled, StepUpContext } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { queries } from '../query.ts';
import { goToSignIn, reloadSession, useSession } from '../session.ts';
import { discardUnsaved, hasUnsaved } from '../unsaved.ts';
import { type Needs, Question } from './Question.tsx';
import { useText } from './text.ts';

interface Asked {
  readonly needs: Needs;
  /** The user has just completed a step-up for the same action, and the service requires another one. */
  readonly isRepeated: boolean;
  answered(): void;
  closed(): void;
}

const currentAccount = () => queries.getQueryData<CurrentSession>(['session'])?.user.user_id;

/** Never settles: callers wait until the page is left. */
const leaveForSignIn = (): Promise<never> => {
  goToSignIn();
  return new Promise(() => {});
};

/**
 * Step-up in a dialog: an action that the service rejects with `mfa_required` waits until the user has done what
 * `X-Service-Step-Up` asks for, and is then repeated. The page and all typed values stay meanwhile. If the session has
 * ended, the app goes to the sign-in page, unless a form contains unsaved values: then the dialog asks for a sign-in in
 * another tab, so that no typed value is lost or stored.
 */
export function StepUpProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const words = useWords();
  // The last question stays while its dialog fades out.
  const [asked, setAsked] = useState<Asked>();
  const [opened, setOpened] = useState(false);
  const open = useRef<Asked>(undefined);
  // Actions that started while a form had unsaved values: a form reports none while its action runs.
  const saving = useRef(new Set<object>());

  const ask = useCallback(
    (needs: Needs, isRepeated: boolean) =>
      new Promise<void>((resolve, reject) => {
        const end = () => {
          open.current = undefined;
          setOpened(false);
        };
        const next: Asked = {
          needs,
          isRepeated,
          answered: () => {
            end();
            resolve();
          },
          closed: () => {
            end();
            reject(new StepUpCancelled());
          },
        };
        open.current?.closed();
        open.current = next;
        setAsked(next);
        setOpened(true);
      }),
    [],
  );

  const runWithStepUp: RunWithStepUp = useCallback(
    (work) => {
      const account = currentAccount();
      let before: StepUp | undefined;
      let isAnswered = false;
      const hasUnsavedValues = hasUnsaved() || saving.current.size > 0;
      if (hasUnsavedValues) saving.current.add(work);
      const attempt = (): ReturnType<typeof work> =>
        work().catch(async (error: unknown) => {
          if (isSignedOut(error)) {
            if (!hasUnsavedValues) return leaveForSignIn();
            await ask('session', false);
            return attempt();
          }
          // The page may belong to a user who is no longer signed in: then it is loaded again.
          if (isGatehouseError(error, 'csrf_failed')) void reloadSession();
          throw error;
        });
      return withStepUp(attempt, async (needs) => {
        // The dialog offers what the account has now: another tab may have signed in as another user.
        await reloadSession();
        if (currentAccount() !== account) throw new StepUpCancelled();
        await ask(needs, needs === before);
        before = needs;
        isAnswered = true;
      }).finally(() => {
        saving.current.delete(work);
        // The step-up may have changed the assurance level, the recovery codes and the list of sessions. Reloaded after
        // the repeated request: an earlier response would show the state before it.
        if (isAnswered) void queries.invalidateQueries();
      });
    },
    [ask],
  );

  // Another tab may have signed in as another user or switched the organization: load the whole page again.
  const { user_id, organization_id } = useSession().user;
  const who = `${user_id} ${organization_id}`;
  const was = useRef(who);
  useEffect(() => {
    if (who === was.current) return;
    discardUnsaved();
    location.reload();
  }, [who]);

  // Another tab may have signed out: go to the sign-in page, or open the dialog if a form has unsaved values.
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error' || !isSignedOut(event.action.error)) return;
        if (!hasUnsaved() && saving.current.size === 0) goToSignIn();
        else if (open.current?.needs !== 'session') ask('session', false).catch(() => undefined);
      }),
    [ask],
  );

  return (
    <StepUpContext value={runWithStepUp}>
      {children}
      <Modal
        opened={opened}
        onClose={() => asked?.closed()}
        title={asked?.needs === 'enroll' ? t.enrollTitle : asked?.needs === 'session' ? t.endedTitle : t.title}
        centered
        // The step-up dialog is above the dialog that started the action.
        zIndex={300}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        {asked && (
          <Suspense fallback={<Loading />}>
            <Question
              needs={asked.needs}
              isRepeated={asked.isRepeated}
              onDone={asked.answered}
              onLeave={asked.closed}
            />
          </Suspense>
        )}
      </Modal>
    </StepUpContext>
  );
}
