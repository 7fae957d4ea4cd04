// @ts-check
import { createVerifier } from '@gatehouse/verify';
import { protect, sessionOf } from '@gatehouse/verify/express';
import express from 'express';
import { createNotes } from './notes.mjs';
import { port, service } from './settings.mjs';
import { receiveWebhook } from './webhook.mjs';

const verifier = createVerifier(service);
/** Accepts only users whose roles include this permission. */
const approvers = verifier.require({ permission: 'notes.approve' });
const notes = createNotes();
const app = express();
// Otherwise Express sends the stack trace of an error to the client.
app.set('env', 'production');

// Webhook requests have no token: the service signs the body, which must not be parsed before it is verified.
app.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
  response.status(receiveWebhook(notes, request.headers, request.body)).end();
});

app.use(protect(verifier), express.json());

app.get('/notes', (request, response) => {
  response.json(notes.list(sessionOf(request).organization_id));
});

app.post('/notes', (request, response) => {
  response.status(201).json(notes.add(sessionOf(request), request.body?.text));
});

app.put('/notes/:id/approval', protect(approvers), (request, response) => {
  const note = notes.approve(sessionOf(request), String(request.params.id));
  if (note) response.json(note);
  else response.status(404).json({ error: { code: 'not_found' } });
});

// Requires a second factor that was verified in the last five minutes.
app.delete('/notes', protect(verifier, { steppedUpWithin: 300 }), (request, response) => {
  notes.clear(sessionOf(request).organization_id);
  response.status(204).end();
});

await verifier.ready();
app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`The API with Express is at http://127.0.0.1:${port}`);
});
