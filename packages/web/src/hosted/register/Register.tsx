import type { LoginSuccess } from '@gatehouse/contract';
import { useState } from 'react';
import { useWords } from '../../ui/words.ts';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { Divider, Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';
import { SignedInAlready } from '../SignedInAlready.tsx';
import { findNotedSession } from '../session.ts';
import { ThirdParties } from '../sign-in/ThirdParties.tsx';
import { leadingTo, readTarget } from '../target.ts';
import { useText } from '../text.ts';
import { Form } from './Form.tsx';

const target = readTarget(new URLSearchParams(location.search));

const load = async () => {
  const [options, session] = await Promise.all([client.signIn.options(), findNotedSession()]);
  return { options, session };
};

export function Page() {
  const t = useText();
  const more = useResultText();
  const [registered, setRegistered] = useState<LoginSuccess>();
  const signIn = leadingTo(target, '/sign-in');
  if (registered) return <Welcome email={registered.user.email} target={target} />;
  return (
    <Loaded load={load}>
      {({ options, session }, again) => {
        if (session) {
          return <SignedInAlready session={session} target={target} leave={more.register.signOut} onLeft={again} />;
        }
        if (!options.registration) return <Closed signIn={signIn} />;
        return (
          <Frame
            title={more.register.title}
            lead={more.register.lead}
            below={
              <>
                {more.register.hasAccount} <a href={signIn}>{t.toSignIn}</a>
              </>
            }
          >
            <Form signIn={signIn} onDone={setRegistered} />
            {options.oauth.length > 0 && (
              <>
                <Divider label={t.signIn.or} />
                <Stack gap="small">
                  <ThirdParties offered={options.oauth} target={target} />
                </Stack>
              </>
            )}
          </Frame>
        );
      }}
    </Loaded>
  );
}

/** Shown if REGISTRATION is `closed`. */
function Closed({ signIn }: { signIn: string }) {
  const t = useText();
  const more = useResultText();
  return (
    <Frame title={more.register.closedTitle} lead={more.register.closed}>
      <ButtonLink href={signIn}>{t.toSignIn}</ButtonLink>
    </Frame>
  );
}

interface Props {
  readonly email: string;
  readonly target: string;
}

/** The user is signed in and can continue; the email can be verified later. */
function Welcome({ email, target }: Props) {
  const t = useResultText().register;
  const words = useWords();
  return (
    <Frame title={t.doneTitle} lead={t.done(email)}>
      <ButtonLink href={target}>{words.continue}</ButtonLink>
    </Frame>
  );
}
