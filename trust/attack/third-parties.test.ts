import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { isFull } from '../effort.ts';
import { tryAnswers } from './third-parties-answers-fixture.ts';
import { tryEmails } from './third-parties-emails-fixture.ts';
import { mend, type Parties, startParties } from './third-parties-fixture.ts';
import { tryFlows } from './third-parties-flows-fixture.ts';

/** Every flow begins at one server and comes back to the other, where there are two. */
describe.each(isFull ? [1, 2] : [2])('third parties, through %i server(s)', (servers) => {
  let parties: Parties;
  beforeAll(async () => {
    parties = await startParties(servers);
  });
  afterAll(() => parties.close());
  afterEach(() => mend(parties));

  const current = () => parties;
  describe('what providers say', () => tryAnswers(current));
  describe('whose flow it is', () => tryFlows(current));
  describe('whose email it is', () => tryEmails(current));
});
