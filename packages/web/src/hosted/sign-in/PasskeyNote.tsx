import { isGatehouseError } from '@gatehouse/client';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Note } from '../../ui/Note.tsx';
import { useText } from '../text.ts';

export function PasskeyNote({ error }: { error: unknown }) {
  const t = useText().signIn;
  if (error === undefined) return null;
  if (!isGatehouseError(error)) return <Note>{t.passkeyFailed}</Note>;
  return <ErrorNote error={error} sentences={{ authentication_required: t.passkeyUnknown, forbidden: t.notAMember }} />;
}
