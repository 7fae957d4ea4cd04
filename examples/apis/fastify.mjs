// @ts-check
import { createVerifier } from '@gatehouse/verify';
import { protect, sessionOf } from '@gatehouse/verify/fastify';
import Fastify from 'fastify';
import { createNotes } from './notes.mjs';
import { port, service } from './settings.mjs';
import { receiveWebhook } from './webhook.mjs';

const verifier = createVerifier(service);
/** Accepts only users whose roles include this permission. */
const approvers = verifier.require({ permission: 'notes.approve' });
const notes = createNotes();
const app = Fastify();

app.register(async (api) => {
  api.addHook('onRequest', protect(verifier));

  api.get('/notes', async (request) => notes.list(sessionOf(request).organization_id));

  api.post('/notes', async (request, reply) => {
    const body = /** @type {{ text?: unknown } | null | undefined} */ (request.body);
    return reply.code(201).send(notes.add(sessionOf(request), body?.text));
  });

  api.put('/notes/:id/approval', { onRequest: protect(approvers) }, async (request, reply) => {
    const { id } = /** @type {{ id: string }} */ (request.params);
    const note = notes.approve(sessionOf(request), id);
    return note ?? reply.code(404).send({ error: { code: 'not_found' } });
  });

  // Requires a second factor that was verified in the last five minutes.
  api.delete('/notes', { onRequest: protect(verifier, { steppedUpWithin: 300 }) }, async (request, reply) => {
    notes.clear(sessionOf(request).organization_id);
    return reply.code(204).send();
  });
});

// Webhook requests have no token: the service signs the body, which must not be parsed before it is verified.
app.register(async (hooks) => {
  hooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  hooks.post('/webhooks', async (request, reply) => {
    const body = /** @type {Buffer} */ (request.body);
    return reply.code(receiveWebhook(notes, request.headers, body)).send();
  });
});

await verifier.ready();
console.log(`The API with Fastify is at ${await app.listen({ port, host: '127.0.0.1' })}`);
