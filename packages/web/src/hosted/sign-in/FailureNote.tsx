import type { OAuthFailure } from '@gatehouse/contract';
import { useState } from 'react';
import { Note } from '../../ui/Note.tsx';
import { readKept } from '../kept.ts';
import { useResultText } from '../results/text.ts';

export const FailureNote = ({ failure }: { failure: string | null }) => failure !== null && <Known failure={failure} />;

/** Shows the failure that the URL names. The URL is untrusted, so unknown values are ignored. */
function Known({ failure }: { failure: string }) {
  const { failures, ssoFailures } = useResultText();
  const [viaSso] = useState(() => readKept().viaSso);
  if (!Object.hasOwn(failures, failure)) return null;
  const known = failure as OAuthFailure;
  return <Note>{(viaSso && ssoFailures[known]) || failures[known]}</Note>;
}
