// @ts-check
import { createVerifier } from '@gatehouse/verify';
import { protect, sessionOf } from '@gatehouse/verify/express';
import express from 'express';
import { createNotes } from './notes.mjs';
import { port, service } from './settings.mjs';

const verifier = createVerifier(service);
const notes = createNotes();
const app = express();
// Otherwise Express sends the stack trace of an error to the client.
app.set('env', 'production');

app.use(protect(verifier), express.json());

app.get('/notes', (request, response) => {
  response.json(notes.list(sessionOf(request).organization_id));
});

app.post('/notes', (request, response) => {
  response.status(201).json(notes.add(sessionOf(request), request.body?.text));
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
