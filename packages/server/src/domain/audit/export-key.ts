import { createMasterKey } from '../../platform/crypto/keyring.ts';

export interface ExportKey {
  /** The setting that the key comes from. */
  readonly name: string;
  readonly key: Buffer;
}

interface Secrets {
  readonly AUDIT_EXPORT_KEY?: string | undefined;
  readonly JWT_SECRET?: string | undefined;
  readonly JWT_SECRET_PREVIOUS?: string | undefined;
}

/**
 * docs/reference/operations.md#audit-trail: the first key signs exports; the other verifies files from before
 * JWT_SECRET changed.
 */
export function exportKeys({ AUDIT_EXPORT_KEY, JWT_SECRET, JWT_SECRET_PREVIOUS }: Secrets): ExportKey[] {
  if (AUDIT_EXPORT_KEY) return [{ name: 'AUDIT_EXPORT_KEY', key: Buffer.from(AUDIT_EXPORT_KEY, 'utf8') }];
  return Object.entries({ JWT_SECRET, JWT_SECRET_PREVIOUS }).flatMap(([name, secret]) =>
    secret ? [{ name, key: createMasterKey(secret).derive('audit-export') }] : [],
  );
}
