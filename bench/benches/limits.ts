import { type Bench, FEW_ROUNDS, raced } from '../bench.ts';
import { startDatabase } from '../database.ts';
import { argon2, bareFastify, fastifySelect, insertAndCommit, rs256 } from '../limits.ts';

export const limits: Bench = {
  name: 'limits',
  about: 'limits of this machine: Fastify, a select, argon2id, RS256, insert and commit',
  rounds: FEW_ROUNDS,
  async run(options) {
    const database = await startDatabase();
    const contestants = [
      await bareFastify(),
      await fastifySelect(database),
      argon2(),
      rs256(),
      await insertAndCommit(database, 1),
      await insertAndCommit(database, 10),
    ];
    // Each limit is compared only with itself.
    return raced({ contestants: contestants.map((limit) => ({ ...limit, against: limit.name })) }, options);
  },
};
