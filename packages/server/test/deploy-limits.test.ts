import { BlockList } from 'node:net';
import { ERRORS, ErrorBody } from '@gatehouse/contract';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { featuresOf } from '../src/app.ts';
import { fullPath } from '../src/http/route.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { deployed, type Loose, readManifests } from './deploy.ts';
import { SECRET } from './postgres.ts';

const nginx = deployed('nginx.conf');
const caddy = deployed('Caddyfile');
const manifests = readManifests(deployed('kubernetes.yaml'));
const manifest = (kind: string): Loose => manifests.find((object) => object.kind === kind);
const { template } = manifest('Deployment').spec;
const config = loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://id.example.com' });
const routes = featuresOf(config).flatMap((feature) =>
  feature.routes.map((route) => `${route.method} ${fullPath(config.ROUTE_PREFIX, route)}`),
);

describe('connections to and from the pods', () => {
  it('TRUST_PROXY lists a few addresses, not whole private networks', () => {
    const ranges: string[] = manifest('ConfigMap').data.TRUST_PROXY.split(',');
    for (const range of ranges) expect(Number(/^[\d.]+\/(\d+)$/.exec(range)![1])).toBeGreaterThanOrEqual(24);
  });

  it('the network policy admits only the Ingress controller and Prometheus, on the service port', () => {
    const { podSelector, policyTypes, ingress } = manifest('NetworkPolicy').spec;
    expect(podSelector.matchLabels).toEqual(template.metadata.labels);
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    const namespaces = ingress.map(({ from: [peer, ...others], ports }: Loose) => {
      expect(others).toEqual([]);
      expect(ports).toEqual([{ port: template.spec.containers[0].ports[0].name }]);
      return peer.namespaceSelector.matchLabels['kubernetes.io/metadata.name'];
    });
    expect(namespaces).toEqual(['ingress-nginx', 'monitoring']);
  });

  it('the network policy lets pods connect to what the service uses, but not to cloud metadata addresses', () => {
    const { egress } = manifest('NetworkPolicy').spec;
    const open = egress.filter(({ to }: Loose) => to === undefined).flatMap(({ ports }: Loose) => ports);
    expect(open.map(({ port }: Loose) => port)).toEqual([53, 53, 5432]);
    const [{ to, ports }] = egress.filter((rule: Loose) => rule.to !== undefined);
    expect(ports.map(({ port }: Loose) => port)).toEqual([443, 465, 587]);
    const metadata = new BlockList();
    for (const { ipBlock } of to) {
      for (const range of ipBlock.except) {
        const [address, bits] = range.split('/');
        metadata.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
      }
    }
    expect(metadata.check('169.254.169.254')).toBe(true);
    expect(metadata.check('fd00:ec2::254', 'ipv6')).toBe(true);
    expect(metadata.check('203.0.113.1')).toBe(false);
  });
});

describe('request rates at nginx', () => {
  const mapOf = (variable: string) => {
    const [, body] = new RegExp(`map \\S.* \\$${variable} \\{\\n([^}]*(?:\\{\\d+\\}[^}]*)*)\\n\\}`).exec(nginx)!;
    const rules = [...body!.matchAll(/^ {4}(\S.*?) (\S+);$/gm)].map(([, key, value]) => [key!, value!] as const);
    const fallback = rules.find(([key]) => key === 'default')![1];
    return (text: string) =>
      rules.find(([key]) => key.startsWith('"~') && new RegExp(key.slice(2, -1)).test(text))?.[1] ?? fallback;
  };
  const counted = '$gatehouse_client';
  const api = routes.map((route) => route.split(' ') as [string, string]);

  it('request rates at nginx count every path except the feed, the key set and the probes', () => {
    const keyOf = mapOf('gatehouse_any');
    const free = api.filter(([, path]) => keyOf(path) !== counted).map(([, path]) => path);
    expect(new Set(free)).toEqual(new Set(api.map(([, path]) => path).filter(isNeverShed)));
    expect(free).toEqual(expect.arrayContaining(['/.well-known/jwks.json', '/healthz', '/readyz']));
    for (const path of ['/', '/sign-in', '/healthz/', '/x/.well-known/', '/readyz2']) expect(keyOf(path)).toBe(counted);
  });

  it('request rates at nginx limit every POST below /auth to a lower rate', () => {
    const keyOf = mapOf('gatehouse_sign_in');
    const strict = api.filter(([method, path]) => keyOf(`${method} ${path}`) === counted);
    expect(strict.map((route) => route.join(' '))).toEqual(
      routes.filter((route) => route.startsWith(`POST ${config.ROUTE_PREFIX}/auth/`)),
    );
    expect(strict.length).toBeGreaterThan(20);
    const rateOf = (zone: string) => Number(new RegExp(`zone=${zone}:\\w+ rate=(\\d+)r/s;`).exec(nginx)![1]);
    expect(rateOf('gatehouse_sign_in')).toBeLessThan(rateOf('gatehouse_any'));
  });

  it('request rates at nginx apply to the whole server, and the response is the error body of the service', () => {
    for (const zone of ['gatehouse_any', 'gatehouse_sign_in']) {
      expect(nginx).toMatch(new RegExp(`^ {4}limit_req zone=${zone} burst=\\d+ nodelay;$`, 'm'));
    }
    expect(nginx).toMatch(/^ {4}limit_req_status 429;$/m);
    const [, body] = /return 429 '(.*)';/.exec(nginx)!;
    expect(Value.Check(ErrorBody, JSON.parse(body!))).toBe(true);
    expect(JSON.parse(body!).error).toMatchObject({ code: 'rate_limited', type: ERRORS.rate_limited.type });
  });

  it('request rates are documented as missing in the Caddyfile', () => {
    expect(caddy).toContain('Caddy without extra modules cannot limit request rates');
    expect(caddy).not.toMatch(/^\s*rate_limit/m);
    expect(caddy).toMatch(/read_header 15s/);
  });
});

/** Paths that are exempt from load shedding: docs/reference/http.md#overload. */
const isNeverShed = (path: string): boolean =>
  path.startsWith('/.well-known/') || path === '/healthz' || path === '/readyz';
