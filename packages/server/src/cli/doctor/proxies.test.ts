import { describe, expect, it } from 'vitest';
import { configOf } from '../../domain/providers/rows-fixture.ts';
import { examineProxies } from './proxies.ts';

const seen = (address: string | null, events = 50, people = 7) => ({ address, events, people });
const examine = (TRUST_PROXY: string, origins?: ReturnType<typeof seen>, PUBLIC_BASE_URL = 'https://id.example.com') =>
  examineProxies(configOf({ TRUST_PROXY, PUBLIC_BASE_URL }), origins);

describe('doctor: TRUST_PROXY', () => {
  it('https without it: everybody shares an address, which is told where it is known', () => {
    expect(examine('')).toMatchObject([{ check: 'TRUST_PROXY', status: 'warning' }]);
    const [finding] = examine('', seen('10.0.0.5'));
    expect(finding!.detail).toContain('the last 50 events all came from 10.0.0.5');
    expect(finding!.fix).toContain('TRUST_PROXY=10.0.0.5');
  });

  it('http needs none', () => expect(examine('', seen('127.0.0.1'), 'http://localhost:8080')).toEqual([]));

  it('is fine when people come from where people are', () => {
    for (const origins of [undefined, seen(null), seen('198.41.0.4'), seen('10.0.0.5', 19), seen('10.0.0.5', 50, 2)]) {
      expect(examine('10.0.0.0/8', origins)).toMatchObject([{ status: 'ok' }]);
    }
  });

  it('a proxy that does not say for whom it asks', () => {
    expect(examine('10.0.0.0/8', seen('10.0.0.5'))).toMatchObject([
      { status: 'warning', fix: expect.stringContaining('proxy_set_header X-Forwarded-For') },
    ]);
    expect(examine('::1', seen('::1'))).toMatchObject([{ detail: expect.stringContaining('does not say for whom') }]);
  });

  it('a proxy that is not in it', () => {
    const [finding] = examine('10.0.0.0/8', seen('172.18.0.2'));
    expect(finding).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('172.18.0.2, which is not in it'),
    });
    expect(finding!.fix).toContain('TRUST_PROXY=10.0.0.0/8,172.18.0.2');
  });

  it.each(['0.0.0.0/0', '::/0', '10.0.0.1,0.0.0.0/0'])('%s believes everybody', (networks) => {
    expect(examine(networks, seen('10.0.0.5'))).toMatchObject([
      { status: 'warning', detail: expect.stringContaining('anybody chooses') },
    ]);
  });
});
