// @ts-check
import { createVerifier } from '@gatehouse/verify';
import { protect, sessionOf } from '@gatehouse/verify/fastify';
import Fastify from 'fastify';
import { createNotes } from './notes.mjs';
import { port, service } from './settings.mjs';

const verifier = createVerifier(service);
const notes = createNotes();
const app = Fastify();

app.addHook('onRequest', protect(verifier));

app.get('/notes', async (request) => notes.list(sessionOf(request).organization_id));

app.post('/notes', async (request, reply) => {
  const body = /** @type {{ text?: unknown } | null | undefined} */ (request.body);
  return reply.code(201).send(notes.add(sessionOf(request), body?.text));
});

// Requires a second factor that was verified in the last five minutes.
app.delete('/notes', { onRequest: protect(verifier, { steppedUpWithin: 300 }) }, async (request, reply) => {
  notes.clear(sessionOf(request).organization_id);
  return reply.code(204).send();
});

await verifier.ready();
console.log(`The API with Fastify is at ${await app.listen({ port, host: '127.0.0.1' })}`);
