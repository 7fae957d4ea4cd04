import type { Keyring } from '../../platform/crypto/keyring.ts';
import { seal, unseal } from '../../platform/crypto/seal.ts';
import type { BoundTransport } from './transport.ts';

interface SealedContent {
  to: string;
  params: Record<string, unknown>;
  via?: BoundTransport | undefined;
}

export const sealContent = (keyring: Keyring, id: string, content: SealedContent): string =>
  seal(keyring, { purpose: 'mail', row: id }, JSON.stringify(content));

/** Returns undefined if the key is unknown. */
export function openContent(keyring: Keyring, id: string, sealed: string | null): SealedContent | undefined {
  const plain = sealed === null ? undefined : unseal(keyring, { purpose: 'mail', row: id }, sealed);
  return plain && (JSON.parse(plain.toString('utf8')) as SealedContent);
}
