import { client } from '../client.ts';
import { Loaded } from '../Loaded.tsx';
import { hasUnproven, isUnasked } from '../reclaim/unasked.ts';
import { SignedInAlready } from '../SignedInAlready.tsx';
import { findNotedSession } from '../session.ts';
import { readTarget } from '../target.ts';
import { useText } from '../text.ts';
import { FailureNote } from './FailureNote.tsx';
import { Steps } from './Steps.tsx';

const given = new URLSearchParams(location.search);
const target = readTarget(given);
const failure = given.get('error');

const load = async () => {
  const [options, session] = await Promise.all([client.signIn.options(), findNotedSession()]);
  return { options, session };
};

export function Page() {
  const t = useText();
  return (
    <Loaded load={load}>
      {({ options, session }, again) =>
        session && !(isUnasked() && hasUnproven(session.user)) ? (
          <SignedInAlready session={session} target={target} leave={t.here.somebodyElse} onLeft={again}>
            <FailureNote failure={failure} />
          </SignedInAlready>
        ) : (
          <Steps options={options} target={target} failure={failure} unasked={session?.user} />
        )
      }
    </Loaded>
  );
}
