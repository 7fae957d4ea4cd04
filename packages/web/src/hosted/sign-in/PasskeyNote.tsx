import { isGatehouseError } from '@gatehouse/client';
import { ErrorNote, Note } from '../../ui/ErrorNote.tsx';
import { useText } from '../text.ts';

/** A passkey that did not work: by the service's word, or because the browser had none or was told no. */
export function PasskeyNote({ error }: { error: unknown }) {
  const t = useText().signIn;
  if (error === undefined) return null;
  if (!isGatehouseError(error)) return <Note>{t.passkeyFailed}</Note>;
  return <ErrorNote error={error} sentences={{ authentication_required: t.passkeyUnknown, forbidden: t.noSeat }} />;
}
