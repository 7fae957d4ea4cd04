import type { LoginResponse } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { Frame } from '../Frame.tsx';
import { useText } from '../text.ts';
import { AskForCode } from './AskForCode.tsx';
import { EnterCode } from './EnterCode.tsx';

interface Props {
  /** The address typed so far. */
  readonly email: string;
  readonly onAnswer: (answer: LoginResponse) => Promise<void>;
  readonly onBack: (email: string) => void;
}

/** Sign-in by emailed code: first the address, then the code. Never reveals whether the account exists. */
export function EmailCode({ email, onAnswer, onBack }: Props) {
  const t = useText().code;
  const [sentTo, setSentTo] = useState<string>();
  const send = async (to: string) => {
    await client.signIn.requestEmailCode(to);
    setSentTo(to);
  };
  const back = (
    <Anchor component="button" type="button" onClick={() => onBack(sentTo ?? email)}>
      {t.otherWay}
    </Anchor>
  );
  return sentTo === undefined ? (
    <Frame title={t.title} lead={t.lead} below={back}>
      <AskForCode email={email} onSend={send} />
    </Frame>
  ) : (
    <Frame title={t.enterTitle} lead={t.sent(sentTo)} below={back}>
      <EnterCode email={sentTo} onSend={send} onAnswer={onAnswer} />
    </Frame>
  );
}
