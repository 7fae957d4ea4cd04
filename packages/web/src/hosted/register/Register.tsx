import type { LoginSuccess } from '@gatehouse/contract';
import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { useWords } from '../../ui/words.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { SignedInAlready } from '../SignedInAlready.tsx';
import { findSession } from '../session.ts';
import { leadingTo, readTarget } from '../target.ts';
import { useText } from '../text.ts';
import { Form } from './Form.tsx';

const target = readTarget(new URLSearchParams(location.search));

const load = async () => {
  const [{ registration }, session] = await Promise.all([client.signIn.options(), findSession()]);
  return { isOpen: registration, session };
};

export function Page() {
  const t = useText();
  const [registered, setRegistered] = useState<LoginSuccess>();
  const signIn = leadingTo(target, '/sign-in');
  if (registered) return <Welcome email={registered.user.email} target={target} />;
  return (
    <Loaded load={load}>
      {({ isOpen, session }, again) => {
        if (session) {
          return <SignedInAlready session={session} target={target} leave={t.register.signOut} onLeft={again} />;
        }
        if (!isOpen) return <Closed signIn={signIn} />;
        return (
          <Frame
            title={t.register.title}
            lead={t.register.lead}
            below={
              <>
                {t.register.hasAccount} <Anchor href={signIn}>{t.toSignIn}</Anchor>
              </>
            }
          >
            <Form signIn={signIn} onDone={setRegistered} />
          </Frame>
        );
      }}
    </Loaded>
  );
}

/** Shown if REGISTRATION is `closed`. */
function Closed({ signIn }: { signIn: string }) {
  const t = useText();
  return (
    <Frame title={t.register.closedTitle} lead={t.register.closed}>
      <Button component="a" href={signIn}>
        {t.toSignIn}
      </Button>
    </Frame>
  );
}

interface Props {
  readonly email: string;
  readonly target: string;
}

/** The user is signed in and can continue; the email can be verified later. */
function Welcome({ email, target }: Props) {
  const t = useText().register;
  const words = useWords();
  return (
    <Frame title={t.doneTitle} lead={t.done(email)}>
      <Button component="a" href={target}>
        {words.continue}
      </Button>
    </Frame>
  );
}
