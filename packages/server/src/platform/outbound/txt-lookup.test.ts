import { describe, expect, it } from 'vitest';
import { startDnsServer } from '../../../test/dns-server.ts';
import { forSuite } from '../../../test/suite.ts';
import { NoRoom } from '../bounded.ts';
import { createTxtLookup } from './txt-lookup.ts';

const dns = forSuite(startDnsServer);
const NAME = '_gatehouse.example.com';

describe('the look-up of TXT records', () => {
  it.each([
    ['joins the strings of a record', [['part one, ', 'part two'], 'another'], ['part one, part two', 'another']],
    ['returns no records for a name without any', [], []],
    ['returns no records for a name that does not exist', undefined, []],
    ['returns undefined if the server fails', 'servfail', undefined],
    ['returns undefined if the server refuses the query', 'refused', undefined],
    ['returns undefined if the server does not respond in time', 'silent', undefined],
  ] as const)('%s', async (_, answer, expected) => {
    dns.answers.clear();
    if (answer) dns.answers.set(NAME, answer);
    const lookup = createTxtLookup([dns.address], answer === 'silent' ? 20 : undefined);
    expect(await lookup.find('key', NAME)).toEqual(expected);
  });

  it('sends at most 16 queries at once, lets 100 look-ups of one key wait, and rejects the others', async () => {
    dns.answers.set(NAME, 'silent');
    dns.asked.length = 0;
    const lookup = createTxtLookup([dns.address], 50);
    const all = await Promise.allSettled(Array.from({ length: 130 }, () => lookup.find('one organization', NAME)));
    const rejected = all.filter((one) => one.status === 'rejected');
    expect(rejected).toHaveLength(130 - 16 - 100);
    expect(rejected.every(({ reason }) => reason instanceof NoRoom)).toBe(true);
  });
});
