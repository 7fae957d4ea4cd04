interface PublicKey {
  readonly asymmetricKeyType?: string;
}

interface NodeCrypto {
  createHash(algorithm: 'sha256'): { update(text: string): { digest(encoding: 'base64url'): string } };
  createPublicKey(options: { key: object; format: 'jwk' }): PublicKey;
  verify(algorithm: 'RSA-SHA256', data: Uint8Array, key: PublicKey, signature: Uint8Array): boolean;
}

/** The crypto module of Node, if the runtime has it: it is synchronous and much faster than Web Crypto. */
export const nodeCrypto = (
  globalThis as { process?: { getBuiltinModule?(name: string): NodeCrypto | undefined } }
).process?.getBuiltinModule?.('node:crypto');
