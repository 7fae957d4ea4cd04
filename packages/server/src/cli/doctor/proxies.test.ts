import { describe, expect, it } from 'vitest';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import { examineFailures, examineProxies } from './proxies.ts';

const seen = (address: string | null, events = 50, users = 7) => ({ address, events, users });
const examine = (TRUST_PROXY: string, origins?: ReturnType<typeof seen>, PUBLIC_BASE_URL = 'https://id.example.com') =>
  examineProxies(configOf({ TRUST_PROXY, PUBLIC_BASE_URL }), origins);

describe('doctor: TRUST_PROXY', () => {
  it('warns about https without TRUST_PROXY, and names the client address that all requests share, if it is known', () => {
    expect(examine('')).toMatchObject([{ check: 'TRUST_PROXY', status: 'warning' }]);
    const [finding] = examine('', seen('10.0.0.5'));
    expect(finding!.detail).toContain('the last 50 events all came from 10.0.0.5');
    expect(finding!.fix).toContain('TRUST_PROXY=10.0.0.5');
  });

  it('has no finding if PUBLIC_BASE_URL is http', () =>
    expect(examine('', seen('127.0.0.1'), 'http://localhost:8080')).toEqual([]));

  it('is ok if requests come from public or several addresses', () => {
    for (const origins of [undefined, seen(null), seen('198.41.0.4'), seen('10.0.0.5', 19), seen('10.0.0.5', 50, 2)]) {
      expect(examine('10.0.0.0/8', origins)).toMatchObject([{ status: 'ok' }]);
    }
  });

  it('warns about a trusted proxy that does not send X-Forwarded-For', () => {
    expect(examine('10.0.0.0/8', seen('10.0.0.5'))).toMatchObject([
      { status: 'warning', fix: expect.stringContaining('proxy_set_header X-Forwarded-For') },
    ]);
    expect(examine('::1', seen('::1'))).toMatchObject([
      { detail: expect.stringContaining('does not send X-Forwarded-For') },
    ]);
  });

  it('warns about a proxy that TRUST_PROXY does not list', () => {
    const [finding] = examine('10.0.0.0/8', seen('172.18.0.2'));
    expect(finding).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('172.18.0.2, which it does not list'),
    });
    expect(finding!.fix).toContain('TRUST_PROXY=10.0.0.0/8,172.18.0.2');
  });

  it.each(['0.0.0.0/0', '::/0', '10.0.0.1,0.0.0.0/0'])('warns that %s trusts every address', (networks) => {
    expect(examine(networks, seen('10.0.0.5'))).toMatchObject([
      { status: 'warning', detail: expect.stringContaining('any client can choose') },
    ]);
  });
});

describe('doctor: TRUST_PROXY=none', () => {
  it('TRUST_PROXY=none is ok, unless all requests come from one private address', () => {
    expect(examine('none')).toMatchObject([{ status: 'ok', detail: 'none: clients connect without a proxy' }]);
    expect(examine('none', seen('172.18.0.2'))).toMatchObject([
      { status: 'warning', fix: expect.stringContaining('TRUST_PROXY=172.18.0.2') },
    ]);
  });
});

describe('doctor: FAILURES_PER_ADDRESS', () => {
  const failures = (given: Record<string, string>) =>
    examineFailures(configOf({ NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com', ...given }));

  it('warns about FAILURES_PER_ADDRESS in production without TRUST_PROXY, and says what to set', () => {
    expect(failures({})).toMatchObject([{ status: 'warning', fix: expect.stringContaining('TRUST_PROXY=none') }]);
  });

  it('warns when FAILURES_PER_ADDRESS is set to 0', () => {
    expect(failures({ TRUST_PROXY: 'none', FAILURES_PER_ADDRESS: '0' })).toMatchObject([{ status: 'warning' }]);
  });

  it('reports FAILURES_PER_ADDRESS in production, and nothing in development', () => {
    expect(failures({ TRUST_PROXY: '10.0.0.5' })).toMatchObject([
      { status: 'ok', detail: expect.stringMatching(/^600 /) },
    ]);
    expect(failures({ NODE_ENV: 'development' })).toEqual([]);
  });
});
