import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { isFull } from '../effort.ts';
import { tryAnswers } from './third-parties-answers-fixture.ts';
import { tryEmails } from './third-parties-emails-fixture.ts';
import { clearFaults, type Parties, startParties } from './third-parties-fixture.ts';
import { tryFlows } from './third-parties-flows-fixture.ts';

/** With two servers, every flow begins at one and ends at the other. */
describe.each(isFull ? [1, 2] : [2])('third parties, on %i server(s)', (servers) => {
  let parties: Parties;
  beforeAll(async () => {
    parties = await startParties(servers);
  });
  afterAll(() => parties.close());
  afterEach(() => clearFaults(parties));

  const current = () => parties;
  describe('responses of providers', () => tryAnswers(current));
  describe('ownership of flows', () => tryFlows(current));
  describe('ownership of email addresses', () => tryEmails(current));
});
