import type { OAuthFailure } from '@gatehouse/contract';
import { Note } from '../../ui/Note.tsx';
import { useMoreText } from '../more-text.ts';

/** Why a third-party sign-in or linking failed. */
export const FailureNote = ({ failure }: { failure: string | null }) => failure !== null && <Known failure={failure} />;

/** The URL is untrusted, so unknown values are ignored. */
function Known({ failure }: { failure: string }) {
  const { failures } = useMoreText();
  return Object.hasOwn(failures, failure) && <Note>{failures[failure as OAuthFailure]}</Note>;
}
