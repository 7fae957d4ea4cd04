// The limit: what Fastify itself can do with a small JSON answer.
import Fastify from 'fastify';

const app = Fastify();
const schema = { response: { 200: { type: 'object', properties: { status: { type: 'string' } } } } };
app.get('/', { schema }, () => ({ status: 'ok' }));
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
