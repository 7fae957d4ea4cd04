import { Button, Divider, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../ui/client.ts';
import { Loading } from '../../ui/Loading.tsx';
import { useAction } from '../../ui/use-action.ts';
import { goToSignIn, useMe } from '../session.ts';
import { ByEmailCode } from './ByEmailCode.tsx';
import { ByPasskey } from './ByPasskey.tsx';
import { ByPassword } from './ByPassword.tsx';
import { ByThirdParty } from './ByThirdParty.tsx';
import { SIGN_IN_OPTIONS, useHasPasskey, useLinkedProviders } from './sign-in-methods.ts';
import { useText } from './text.ts';

interface Props {
  readonly isRepeated: boolean;
  readonly onDone: () => void;
}

/** A repeated sign-in for an account without MFA, by any method that it has. */
export function SignInAgain({ isRepeated, onDone }: Props) {
  const t = useText();
  const { has_password } = useMe();
  const hasPasskey = useHasPasskey();
  const { data: options } = useQuery(SIGN_IN_OPTIONS);
  const linked = useLinkedProviders();
  const byMail = options?.email_otp === true;
  const isKnown = options !== undefined && linked !== undefined;
  const hasNone = isKnown && !has_password && !hasPasskey && !byMail && linked.length === 0;
  const leave = useAction(async () => {
    await client.session.signOut();
    goToSignIn();
  });
  // A password or an emailed code was not enough, so the action needs a second factor: for this account, a passkey.
  if (isRepeated && hasPasskey) {
    return (
      <Stack>
        <Text size="sm">{t.passkeyNeeded}</Text>
        <ByPasskey onDone={onDone} />
      </Stack>
    );
  }
  return (
    <Stack>
      <Text size="sm">
        {t.signInAgain} {!hasNone && t.nothingLost}
      </Text>
      {!has_password && !isKnown && <Loading />}
      {has_password && <ByPassword onDone={onDone} />}
      {has_password && (hasPasskey || byMail || linked?.length) ? <Divider label={t.or} /> : null}
      {hasPasskey && <ByPasskey onDone={onDone} />}
      {byMail && <ByEmailCode onDone={onDone} />}
      {linked && linked.length > 0 && <ByThirdParty providers={linked} onDone={onDone} />}
      {hasNone && (
        <Button loading={leave.busy} onClick={() => void leave.run()}>
          {t.leave}
        </Button>
      )}
    </Stack>
  );
}
