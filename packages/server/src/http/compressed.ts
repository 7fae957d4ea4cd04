import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsEncoding } from './accept.ts';

type Encoding = 'br' | 'gzip';

const COMPRESS: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

interface Encoded {
  readonly body: Buffer;
  /** Appended to the ETag: each encoding is another representation. */
  readonly suffix: string;
}

/** A body that never changes. Each encoding is computed once, at the first request for it. */
export function createCompressed(text: string) {
  const plain = Buffer.from(text);
  const encoded = new Map<Encoding, Promise<Buffer>>();
  return async ({ request, reply }: { request: FastifyRequest; reply: FastifyReply }): Promise<Encoded> => {
    reply.header('vary', 'accept-encoding');
    const accepted = request.headers['accept-encoding']?.toString();
    const encoding = (['br', 'gzip'] as const).find((name) => acceptsEncoding(accepted, name));
    if (!encoding) return { body: plain, suffix: '' };
    const body = encoded.get(encoding) ?? COMPRESS[encoding](plain);
    encoded.set(encoding, body);
    reply.header('content-encoding', encoding);
    return { body: await body, suffix: `-${encoding}` };
  };
}

export type Compressed = ReturnType<typeof createCompressed>;
