import { type Bench, requests } from './race.ts';
import { startService } from './service.ts';

/** The documents that other services poll, against a bare Fastify route with a JSON answer. */
export async function discovery(): Promise<Bench> {
  const { limit, service, close } = await startService();
  const paths = ['/healthz', '/.well-known/jwks.json', '/.well-known/service-revocations.json'];
  return {
    contestants: [
      requests('bare Fastify route', 64, { url: limit }),
      ...paths.map((path) => requests(`GET ${path}`, 64, { url: service + path })),
    ],
    close,
  };
}
