import { isGatehouseError } from '@gatehouse/client';
import { useState } from 'react';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { findSession } from '../session.ts';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';
import { forgetToken, takeToken } from '../token.ts';
import type { Outcome } from './Confirm.tsx';
import { Ended } from './Ended.tsx';
import { OfAccount } from './OfAccount.tsx';
import { OfChange } from './OfChange.tsx';

const token = takeToken();

/** Returns whether the error means that the token is missing, unknown, used or expired. */
const isDead = (error: unknown): boolean =>
  isGatehouseError(error, 'authentication_required') || isGatehouseError(error, 'invalid_input');

/** Resolves with undefined if the link is no longer valid. */
const load = async () => {
  if (token === undefined) return undefined;
  const [link, session] = await Promise.all([
    client.signIn.previewVerification(token).catch((error: unknown) => {
      if (isDead(error)) return undefined;
      throw error;
    }),
    findSession(),
  ]);
  return link && { ...link, isOwn: session?.user.email === link.email };
};

/** The target of the mailed link. It requires a click: mail scanners that open links must not confirm anything. */
export function Page() {
  const t = useText();
  const more = useResultText();
  const [outcome, setOutcome] = useState<Outcome>();
  const end = (how: Outcome) => {
    forgetToken();
    setOutcome(how);
  };
  return (
    <Loaded load={load}>
      {(link) => {
        if (!link || !token || outcome === 'dead') {
          return (
            <Frame title={t.deadLinkTitle} lead={more.verify.dead}>
              <ButtonLink href={ACCOUNT}>{t.toAccount}</ButtonLink>
            </Frame>
          );
        }
        if (outcome) return <Ended link={link} outcome={outcome} />;
        const below = <a href={ACCOUNT}>{t.notNow}</a>;
        const props = { token, isDead, onEnd: end };
        return link.kind === 'change' ? (
          <OfChange {...props} email={link.email} below={below} />
        ) : (
          <OfAccount {...props} link={link} isOwn={link.isOwn} below={below} />
        );
      }}
    </Loaded>
  );
}
