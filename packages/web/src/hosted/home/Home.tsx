import { Button } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { settings } from '../../ui/settings.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { findSession } from '../session.ts';
import { ACCOUNT, leaveFor } from '../target.ts';
import { useText } from '../text.ts';
import { GettingStarted } from './GettingStarted.tsx';

/** Redirects a signed-in user to the account pages. */
const load = async () => {
  const [options, session] = await Promise.all([client.signIn.options(), findSession()]);
  return session ? leaveFor(ACCOUNT) : options;
};

export function Page() {
  const t = useText();
  return (
    <Loaded load={load}>
      {({ registration }) => (
        <Frame title={t.home.title} lead={t.home.lead} wide={settings.development}>
          <Button component="a" href="/sign-in">
            {t.toSignIn}
          </Button>
          {registration && (
            <Button component="a" href="/register" variant="default">
              {t.signIn.register}
            </Button>
          )}
          {settings.development && <GettingStarted canRegister={registration} />}
        </Frame>
      )}
    </Loaded>
  );
}
