import { isGatehouseError } from '@gatehouse/client';
import { Button, Stack } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Loading } from '../ui/Loading.tsx';
import { useAction } from '../ui/use-action.ts';
import { useWords } from '../ui/words.ts';
import { goToSignIn } from './session.ts';

export function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  const words = useWords();
  const router = useRouter();
  const { reset: forgetErrors } = useQueryErrorResetBoundary();
  const signedOut = isGatehouseError(error, 'authentication_required');
  useEffect(() => {
    if (signedOut) goToSignIn();
  }, [signedOut]);
  const again = () => {
    forgetErrors();
    reset();
    void router.invalidate();
  };
  const isAsked = useRef(false);
  const retry = useAction(async () => {
    // Reading may require a second factor: throwing the error once opens the step-up dialog, then the action reruns.
    if (isGatehouseError(error, 'mfa_required') && !isAsked.current) {
      isAsked.current = true;
      throw error;
    }
    again();
  });
  if (signedOut) return <Loading />;
  return (
    <Stack align="flex-start">
      <ErrorNote error={error} />
      <Button variant="default" loading={retry.busy} onClick={() => void retry.run()}>
        {words.tryAgain}
      </Button>
    </Stack>
  );
}
