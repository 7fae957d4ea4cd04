import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';

interface PinnedAnswer {
  readonly status: number;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  readonly json: any;
}

interface Ask {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
}

/** One keep-alive connection. The same worker answers all its requests. */
export interface Pinned {
  ask(path: string, ask?: Ask): Promise<PinnedAnswer>;
  close(): void;
}

/** If `agent` is false, every request has its own connection. */
export function openPinned(url: string, agent: Agent | false = new Agent({ keepAlive: true, maxSockets: 1 })): Pinned {
  return {
    ask: (path, { method = 'GET', token, body } = {}) =>
      new Promise((resolve, reject) => {
        const id = randomUUID();
        const headers = {
          'x-request-id': id,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        };
        const sent = request(new URL(path, url), { method, agent, headers }, async (response) => {
          try {
            const chunks: Buffer[] = [];
            for await (const chunk of response) chunks.push(chunk);
            const text = Buffer.concat(chunks).toString();
            const isJson = response.headers['content-type']?.startsWith('application/json');
            resolve({ status: response.statusCode!, id, json: isJson ? JSON.parse(text) : text });
          } catch (error) {
            reject(error);
          }
        });
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    close() {
      if (agent) agent.destroy();
    },
  };
}
