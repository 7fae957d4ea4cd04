import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { lazyCompilers } from './compilers.ts';

it('schemas compiled at their first use validate and serialize like eager ones', async () => {
  const app = Fastify({ schemaController: { compilersFactory: lazyCompilers() } });
  const schema = {
    body: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
    response: { 200: { type: 'object', properties: { shown: { type: 'integer' } } } },
  };
  app.post('/', { schema }, () => ({ shown: 1, hidden: 2 }));
  const post = (payload: object) => app.inject({ method: 'POST', url: '/', payload });
  for (let round = 1; round <= 2; round++) {
    expect((await post({ n: 1 })).json()).toEqual({ shown: 1 });
    const wrong = await post({ n: 'x' });
    expect([wrong.statusCode, wrong.json().message]).toEqual([400, 'body/n must be integer']);
  }
  await app.close();
});
