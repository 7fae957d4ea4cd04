/** A credential in the JSON form of WebAuthn Level 3, as the service accepts it. */
export interface PasskeyCredential {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly authenticatorAttachment?: string;
  readonly clientExtensionResults: object;
  readonly response: Readonly<Record<string, unknown>>;
}
