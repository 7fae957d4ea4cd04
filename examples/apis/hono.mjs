// @ts-check
import { createVerifier } from '@gatehouse/verify';
import { protect, sessionOf } from '@gatehouse/verify/hono';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createNotes } from './notes.mjs';
import { port, service } from './settings.mjs';
import { receiveWebhook } from './webhook.mjs';

const verifier = createVerifier(service);
/** Accepts only users whose roles include this permission. */
const approvers = verifier.require({ permission: 'notes.approve' });
const notes = createNotes();
const app = new Hono();

// Webhook requests have no token: the service signs the body.
app.post('/webhooks', async (c) => c.body(null, receiveWebhook(notes, c.req.raw.headers, await c.req.text())));

app.use(protect(verifier));

app.get('/notes', (c) => c.json(notes.list(sessionOf(c).organization_id)));

app.post('/notes', async (c) => {
  const body = await c.req.json().catch(() => null);
  return c.json(notes.add(sessionOf(c), body?.text), 201);
});

app.put('/notes/:id/approval', protect(approvers), (c) => {
  const note = notes.approve(sessionOf(c), c.req.param('id'));
  return note ? c.json(note) : c.json({ error: { code: 'not_found' } }, 404);
});

// Requires a second factor that was verified in the last five minutes.
app.delete('/notes', protect(verifier, { steppedUpWithin: 300 }), (c) => {
  notes.clear(sessionOf(c).organization_id);
  return c.body(null, 204);
});

await verifier.ready();
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () =>
  console.log(`The API with Hono is at http://127.0.0.1:${port}`),
);
