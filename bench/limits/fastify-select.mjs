// The limit of a read with a query: Fastify and one select by primary key, prepared per connection.
import Fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ max: 10 });
const app = Fastify();
const properties = { id: { type: 'integer' }, name: { type: 'string' } };
app.get('/', { schema: { response: { 200: { type: 'object', properties } } } }, async () => {
  const id = 1 + Math.floor(Math.random() * 10_000);
  const { rows } = await pool.query({ name: 'find', text: 'select id, name from people where id = $1', values: [id] });
  return rows[0];
});

await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ port: app.server.address().port }));
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
