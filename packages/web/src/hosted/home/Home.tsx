import { settings } from '../../ui/settings.ts';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { findNotedSession } from '../session.ts';
import { ACCOUNT, leaveFor } from '../target.ts';
import { useText } from '../text.ts';
import { GettingStarted } from './GettingStarted.tsx';

/** Redirects a signed-in user to the account pages. */
const load = async () => {
  const [options, session] = await Promise.all([client.signIn.options(), findNotedSession()]);
  return session ? leaveFor(ACCOUNT) : options;
};

export function Page() {
  const t = useText();
  const more = useResultText();
  return (
    <Loaded load={load}>
      {({ registration }) => (
        <Frame title={more.home.title} lead={more.home.lead} wide={settings.development}>
          <ButtonLink href="/sign-in">{t.toSignIn}</ButtonLink>
          {registration && (
            <ButtonLink href="/register" variant="default">
              {t.signIn.register}
            </ButtonLink>
          )}
          {settings.development && <GettingStarted canRegister={registration} />}
        </Frame>
      )}
    </Loaded>
  );
}
