// The limit of a read: what Fastify itself can do with a JSON answer that is known, small or as large as it is told.
import Fastify from 'fastify';

const app = Fastify();
const schema = { response: { 200: { type: 'object', properties: { status: { type: 'string' } } } } };
app.get('/', { schema }, () => ({ status: 'ok' }));

// Bytes, as whoever sends the same again and again would keep it.
const large = Buffer.from(JSON.stringify('x'.repeat(Math.max(0, Number(process.env.BODY_BYTES ?? 0) - 2))));
app.get('/large', (_request, reply) => reply.type('application/json; charset=utf-8').send(large));

await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ port: app.server.address().port }));
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
