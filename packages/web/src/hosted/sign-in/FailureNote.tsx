import type { OAuthFailure } from '@gatehouse/contract';
import { Note } from '../../ui/ErrorNote.tsx';
import { useText } from '../text.ts';

/** Why a third-party sign-in or linking failed. The URL is untrusted, so unknown values are ignored. */
export function FailureNote({ failure }: { failure: string | null }) {
  const { failures } = useText().thirdParty;
  if (failure === null || !Object.hasOwn(failures, failure)) return null;
  return <Note>{failures[failure as OAuthFailure]}</Note>;
}
