import { isGatehouseError } from '@gatehouse/client';
import { Button, Stack } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Loading } from '../ui/Loading.tsx';
import { useWords } from '../ui/words.ts';
import { goToSignIn } from './session.ts';

/** Shown instead of a page whose data could not be loaded. */
export function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  const words = useWords();
  const router = useRouter();
  const { reset: forgetErrors } = useQueryErrorResetBoundary();
  const signedOut = isGatehouseError(error, 'authentication_required');
  useEffect(() => {
    if (signedOut) goToSignIn();
  }, [signedOut]);
  if (signedOut) return <Loading />;
  const again = () => {
    forgetErrors();
    reset();
    void router.invalidate();
  };
  return (
    <Stack align="flex-start">
      <ErrorNote error={error} />
      <Button variant="default" onClick={again}>
        {words.tryAgain}
      </Button>
    </Stack>
  );
}
