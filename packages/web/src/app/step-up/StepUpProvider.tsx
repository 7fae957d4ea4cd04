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
  readonly id: number;
  readonly needs: Needs;
  /** The user has just completed a step-up for the same action, and the service requires another one. */
  readonly isRepeated: boolean;
  answered(): void;
  closed(): void;
}

const currentAccount = () => queries.getQueryData<CurrentSession>(['session'])?.user.user_id;

/** A dialog that hides the page and can only be left by one of its buttons. */
const HIDING = {
  withCloseButton: false,
  closeOnEscape: false,
  closeOnClickOutside: false,
  overlayProps: { color: 'var(--mantine-color-body)', backgroundOpacity: 1 },
} as const;

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

  const count = useRef(0);

  const ask = useCallback(
    (needs: Needs, isRepeated: boolean) =>
      new Promise<void>((resolve, reject) => {
        // A question that was replaced by another one must not close that one.
        const end = () => {
          if (open.current !== next) return;
          open.current = undefined;
          setOpened(false);
        };
        const next: Asked = {
          id: ++count.current,
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
      // A code or password that a step-up asks for must not be sent again in the next session.
      const isPartOfStepUp = open.current !== undefined;
      const attempt = (): ReturnType<typeof work> =>
        work().catch(async (error: unknown) => {
          if (isSignedOut(error)) {
            if (!hasUnsavedValues) return leaveForSignIn();
            await ask('session', false);
            if (isPartOfStepUp) throw new StepUpCancelled();
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
  const was = useRef({ user_id, organization_id });
  useEffect(() => {
    if (user_id === was.current.user_id && organization_id === was.current.organization_id) return;
    discardUnsaved();
    location.reload();
  }, [user_id, organization_id]);

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
        // After a sign-out in another tab, the page behind the dialog must not stay readable.
        {...(asked?.needs === 'session' && HIDING)}
        title={asked?.needs === 'enroll' ? t.enrollTitle : asked?.needs === 'session' ? t.endedTitle : t.title}
        centered
        // The step-up dialog is above the dialog that started the action.
        zIndex={300}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        {asked && (
          <Suspense fallback={<Loading />}>
            <Question
              key={asked.id}
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
