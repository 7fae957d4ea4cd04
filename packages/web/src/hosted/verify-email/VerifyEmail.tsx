import { isGatehouseError } from '@gatehouse/client';
import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';
import { forgetToken, takeToken } from '../token.ts';
import { Confirm } from './Confirm.tsx';

const token = takeToken();

/** Unknown, used or too old, or no token at all. */
const isDead = (error: unknown): boolean =>
  isGatehouseError(error, 'authentication_required') || isGatehouseError(error, 'invalid_input');

/** Undefined: the link is dead. */
const load = async () => {
  if (token === undefined) return undefined;
  return client.signIn.previewVerification(token).catch((error: unknown) => {
    if (isDead(error)) return undefined;
    throw error;
  });
};

/** Where the link of a mail leads. It asks for a click: programs that look at links in mails must not confirm anything. */
export function Page() {
  const t = useText();
  const [outcome, setOutcome] = useState<'done' | 'dead'>();
  const end = (how: 'done' | 'dead') => {
    forgetToken();
    setOutcome(how);
  };
  const toAccount = (
    <Button component="a" href={ACCOUNT}>
      {t.toAccount}
    </Button>
  );
  return (
    <Loaded load={load}>
      {(link) => {
        if (!link || !token || outcome === 'dead') {
          return (
            <Frame title={t.deadLinkTitle} lead={t.verify.dead}>
              {toAccount}
            </Frame>
          );
        }
        const words = t.verify[link.kind];
        if (outcome === 'done') {
          return (
            <Frame title={words.doneTitle} lead={words.done(link.email)}>
              {toAccount}
            </Frame>
          );
        }
        return (
          <Frame title={words.title} lead={words.lead(link.email)} below={<Anchor href={ACCOUNT}>{t.notNow}</Anchor>}>
            <Confirm token={token} label={words.submit} isDead={isDead} onEnd={end} />
          </Frame>
        );
      }}
    </Loaded>
  );
}
