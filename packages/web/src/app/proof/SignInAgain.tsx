import { Button, Divider, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../ui/client.ts';
import { Loading } from '../../ui/Loading.tsx';
import { useAction } from '../../ui/use-action.ts';
import { goToSignIn, useMe } from '../session.ts';
import { ByEmailCode } from './ByEmailCode.tsx';
import { ByPasskey } from './ByPasskey.tsx';
import { ByPassword } from './ByPassword.tsx';
import { useText } from './text.ts';
import { SIGN_IN_OPTIONS, useHasPasskey } from './ways-in.ts';

/** The sign-in once more, for an account without a second factor, by any way that is open to it. */
export function SignInAgain({ onDone }: { onDone: () => void }) {
  const t = useText();
  const { has_password } = useMe();
  const hasPasskey = useHasPasskey();
  const { data: options } = useQuery(SIGN_IN_OPTIONS);
  const byMail = options?.email_otp === true;
  // Only a third party, which cannot be asked in a dialog.
  const isOtherwise = options !== undefined && !has_password && !hasPasskey && !byMail;
  const leave = useAction(async () => {
    await client.session.signOut();
    goToSignIn();
  });
  return (
    <Stack>
      <Text size="sm">
        {t.signInAgain} {!isOtherwise && t.goOn}
      </Text>
      {!has_password && options === undefined && <Loading />}
      {has_password && <ByPassword onDone={onDone} />}
      {has_password && (hasPasskey || byMail) && <Divider />}
      {hasPasskey && <ByPasskey onDone={onDone} />}
      {byMail && <ByEmailCode onDone={onDone} />}
      {isOtherwise && (
        <Button loading={leave.busy} onClick={() => void leave.run()}>
          {t.leave}
        </Button>
      )}
    </Stack>
  );
}
