import { Frame } from '../Frame.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { ACCOUNT } from '../target.ts';
import { useText as useHostedText } from '../text.ts';
import { useText } from './text.ts';

/** Shown for a request that has ended, or that another browser or user has started. */
export function Ended() {
  const t = useText().ended;
  const { toAccount } = useHostedText();
  return (
    <Frame title={t.title} lead={t.lead}>
      <ButtonLink href={ACCOUNT} variant="default">
        {toAccount}
      </ButtonLink>
    </Frame>
  );
}
