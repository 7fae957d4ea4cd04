// The limit of a read: Fastify with a constant JSON response, small or of the given size.
import Fastify from 'fastify';

const app = Fastify();
const schema = { response: { 200: { type: 'object', properties: { status: { type: 'string' } } } } };
app.get('/', { schema }, () => ({ status: 'ok' }));

// A buffer, because a server would cache a constant response as bytes.
const large = Buffer.from(JSON.stringify('x'.repeat(Math.max(0, Number(process.env.BODY_BYTES ?? 0) - 2))));
app.get('/large', (_request, reply) => reply.type('application/json; charset=utf-8').send(large));

await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ port: app.server.address().port }));
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
