import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { pasteAll } from '../../client/test/documentation.ts';
import { featuresOf } from '../src/app.ts';
import { HARD_STOP } from '../src/cli/support/stop-signal.ts';
import { fullPath } from '../src/http/route.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { SETTINGS } from '../src/platform/config/settings.ts';
import {
  deployed,
  duration,
  type Loose,
  readDockerfile,
  readEnvFile,
  readManifests,
  readPairs,
  readUnit,
  readYaml,
  root,
  size,
} from './deploy.ts';
import { SECRET, useTestApp } from './harness.ts';

const dockerfile = readDockerfile(deployed('Dockerfile'));
const compose = readYaml(deployed('compose.yaml'));
const manifests = readManifests(deployed('kubernetes.yaml'));
const { Service: unit } = readUnit(deployed('gatehouse.service')) as { Service: Record<string, string[]> };
const example = readEnvFile(deployed('gatehouse.env.example'));
const nginx = deployed('nginx.conf');
const caddy = deployed('Caddyfile');
const guide = readFileSync(join(root, 'docs/deploying.md'), 'utf8');

const instructions = (keyword: string, ...stages: string[]): string[] =>
  dockerfile
    .filter((line) => line.keyword === keyword && (stages.length === 0 || stages.includes(line.stage)))
    .map(({ rest }) => rest);
const manifest = (kind: string, name = 'gatehouse'): Loose =>
  manifests.find((object) => object.kind === kind && object.metadata.name === name);
const pod = manifest('Deployment').spec.template.spec;
const [container] = pod.containers;

const IMAGE_SETTINGS = Object.assign({}, ...instructions('ENV').map(readPairs)) as Record<string, string>;
const config = loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://id.example.com', ...IMAGE_SETTINGS });
const routes = featuresOf(config).flatMap((feature) =>
  feature.routes.map((route) => `${route.method} ${fullPath(config.ROUTE_PREFIX, route)}`),
);

describe('settings', () => {
  const given: [string, Record<string, string>][] = [
    ['Dockerfile', IMAGE_SETTINGS],
    ['compose.yaml', readYaml(deployed('compose.yaml').replaceAll(/\$\{[^}]*\}/g, 'x')).services.gatehouse.environment],
    ['kubernetes.yaml', manifest('ConfigMap').data],
    ['gatehouse.service', readPairs(unit.Environment!.join(' '))],
    ['gatehouse.env.example', example],
  ];

  it.each(given)('%s sets only existing settings, to valid values', (_file, settings) => {
    expect(Object.keys(settings).length).toBeGreaterThan(0);
    expect(Object.keys(settings).filter((name) => !(name in SETTINGS))).toEqual([]);
    expect(() =>
      loadConfig({
        ...settings,
        JWT_SECRET: SECRET,
        PUBLIC_BASE_URL: 'https://id.example.com',
      }),
    ).not.toThrow();
  });

  it('every name in capitals is a setting or a known name of another program', () => {
    const others = [
      'POSTGRES_USER',
      'POSTGRES_PASSWORD',
      'NODE_IMAGE',
      'DEBIAN_IMAGE',
      'DEBIAN_FRONTEND',
      'AF_INET',
      'AF_INET6',
      'AF_UNIX',
    ];
    const texts = [...readdirSync(join(root, 'deploy')).map(deployed), guide];
    const names = texts.flatMap((text) => text.match(/(?<![$\w])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []);
    const inCode = ['pack.mjs', 'pin.mjs'].flatMap((name) => deployed(name).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []);
    expect(names.length).toBeGreaterThan(40);
    const known = new Set([...Object.keys(SETTINGS), ...others, ...inCode]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it('gatehouse.env.example has all settings that production needs, and no secret', () => {
    expect(Object.keys(example)).toEqual(
      expect.arrayContaining(['PUBLIC_BASE_URL', 'JWT_SECRET', 'CONFIG_ENCRYPTION_KEY', 'DATABASE_URL', 'SMTP_URL']),
    );
    const filled = Object.entries(example).filter(([, value]) => value !== '');
    expect(filled).toEqual([['NODE_ENV', 'production']]);
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  });
});

describe('ports and paths', () => {
  it('all deployment files use the same port', () => {
    const port = String(SETTINGS.PORT.fallback);
    expect(IMAGE_SETTINGS.PORT).toBe(port);
    expect(instructions('EXPOSE')).toEqual([port]);
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(port) }]);
    expect(compose.services.proxy.environment.GATEHOUSE).toBe(`gatehouse:${port}`);
    expect(nginx.match(/^ {4}server 127\.0\.0\.1:(\d+);$/m)?.[1]).toBe(port);
    expect(caddy).toContain(`reverse_proxy {$GATEHOUSE:127.0.0.1:${port}}`);
  });

  it('the image listens on all interfaces, the systemd unit on loopback', () => {
    expect(IMAGE_SETTINGS.HOST).toBe('0.0.0.0');
    expect(unit.Environment!.join(' ')).not.toContain('HOST=');
  });

  const [check] = instructions('HEALTHCHECK');
  const probes: [string, string, string][] = [
    ['HEALTHCHECK', /path: '([^']+)'/.exec(check!)![1]!, '/healthz'],
    ['startupProbe', container.startupProbe.httpGet.path, '/healthz'],
    ['livenessProbe', container.livenessProbe.httpGet.path, '/healthz'],
    ['readinessProbe', container.readinessProbe.httpGet.path, '/readyz'],
  ];
  it.each(probes)('%s requests the right endpoint: liveness is not readiness', (_probe, path, expected) => {
    expect(path).toBe(expected);
    expect(routes).toContain(`GET ${path}`);
  });

  it('the probes use the named port', () => {
    for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(container.ports.map(({ name }: Loose) => name)).toContain(container[kind].httpGet.port);
    }
  });

  it('no proxy passes on requests for the metrics', () => {
    expect(routes).toContain('GET /metrics');
    expect(nginx).toMatch(/location = \/metrics \{\n\s+return 404;/);
    expect(caddy).toMatch(/@metrics path \/metrics\n\s+respond @metrics 404/);
    const [closed, open] = manifest('Ingress').spec.rules[0].http.paths;
    expect(closed).toMatchObject({ path: '/metrics', pathType: 'Exact' });
    expect(manifest('Service', closed.backend.service.name).spec.selector).toBeUndefined();
    expect(manifest('Service', open.backend.service.name).spec.selector).toEqual(podLabels());
  });

  it('the path of the audit export, which nginx does not buffer, exists in the service', () => {
    const [, path] = /location = (\S+) \{\n[^}]*proxy_buffering off;/.exec(nginx)!;
    expect(routes).toContain(`GET ${path}`);
    expect(caddy).toContain('flush_interval -1');
  });
});

describe('proxies compared with the service', () => {
  const app = useTestApp();

  it('a proxy closes an idle connection before the service does', () => {
    const { keepAliveTimeout } = app.server.server;
    const [, byNginx] = /keepalive_timeout (\w+);/.exec(nginx)!;
    const [, byCaddy] = /\skeepalive (\w+)\n/.exec(caddy)!;
    expect(keepAliveTimeout).toBeGreaterThan(duration(byNginx!));
    expect(keepAliveTimeout).toBeGreaterThan(duration(byCaddy!));
  });

  it('a proxy accepts larger bodies than the service', () => {
    const [, most] = /client_max_body_size (\w+);/.exec(nginx)!;
    expect(size(most!)).toBeGreaterThan(LIMITS.avatarBytes * 1.5);
    const ingress = manifest('Ingress').metadata.annotations['nginx.ingress.kubernetes.io/proxy-body-size'];
    expect(ingress).toBe(most);
    expect(caddy).not.toContain('max_size');
  });
});

describe('the stop timeout is long enough', () => {
  const longestDrain = Math.max(
    ...Array.from({ length: 1000 }, (_, seconds) => seconds).filter((seconds) => {
      try {
        return SETTINGS.DRAIN_SECONDS.parse(String(seconds)) >= 0;
      } catch {
        return false;
      }
    }),
  );

  it('the stop timeout of systemd is long enough for every value of DRAIN_SECONDS', () => {
    expect(longestDrain).toBe(60);
    expect(duration(unit.TimeoutStopSec![0]!)).toBeGreaterThan(longestDrain * 1000 + HARD_STOP);
  });

  it('the stop timeout of Compose is long enough', () => {
    const drain = Number(compose.services.gatehouse.environment.DRAIN_SECONDS ?? SETTINGS.DRAIN_SECONDS.fallback);
    expect(duration(compose.services.gatehouse.stop_grace_period)).toBeGreaterThan(drain * 1000 + HARD_STOP);
  });

  it('the stop timeout of Kubernetes is long enough, and a stopping pod serves until two readiness probes have run', () => {
    const drain = Number(manifest('ConfigMap').data.DRAIN_SECONDS);
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(drain * 1000 + HARD_STOP);
    expect(drain).toBeGreaterThanOrEqual(2 * container.readinessProbe.periodSeconds);
  });
});

describe('Dockerfile', () => {
  const images = Object.fromEntries(instructions('ARG', '').map((rest) => rest.split('=') as [string, string]));
  const [, major, debian] = /^docker\.io\/library\/node:(\d+)-(\w+)-slim(?:@|$)/.exec(images.NODE_IMAGE!)!;

  it('the Dockerfile uses an LTS version of Node, the one that the documents name', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const least = Number(/^>=(\d+)\./.exec(engines.node)![1]);
    expect(Number(major)).toBeGreaterThan(least);
    expect(Number(major) % 2).toBe(0);
    expect(guide).toContain(`**Node ${major}.**`);
    expect(guide).toContain(`npm test -- --node ${major}`);
    expect(readFileSync(join(root, 'docs/operating.md'), 'utf8')).toContain(`Node ${major}`);
  });

  it('the Dockerfile copies only files that exist and that .dockerignore allows', () => {
    const [first, ...rules] = readFileSync(join(root, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    const allowed = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
    expect(allowed.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    // deploy/pack.mjs is the only file of deploy/ in the image.
    expect(allowed.filter((path) => path.startsWith('deploy'))).toEqual(['deploy/pack.mjs']);
    const sources = instructions('COPY', 'build').flatMap((rest) => rest.split(' ').slice(0, -1));
    const missing = sources.filter((path) => !existsSync(join(root, path)));
    const kept = sources.filter((path) => path !== '.' && !allowed.some((rule) => `${path}/`.startsWith(`${rule}/`)));
    expect({ missing, kept }).toEqual({ missing: [], kept: [] });
  });

  it('the Dockerfile copies the manifest of every workspace', () => {
    const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const copied = instructions('COPY', 'build').flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(copied).toEqual(expect.arrayContaining(workspaces.map((name: string) => `${name}/package.json`)));
  });

  it('the image runs as an unprivileged user, and the pod as the same one', () => {
    const users = { standalone: instructions('USER', 'runtime', 'standalone').at(-1), service: '' };
    users.service = instructions('USER', 'runtime', 'service').at(-1)!;
    const expected = `${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`;
    expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
    expect(users).toEqual({ standalone: expected, service: expected });
  });

  it('the image runs Node as its first process and has no tools in the default target', () => {
    const commands = ['ENTRYPOINT', 'CMD'].flatMap((keyword) => JSON.parse(instructions(keyword)[0]!));
    expect(commands).toEqual(['node', '/app/packages/server/bin/gatehouse.mjs', 'serve']);
    expect(dockerfile.at(-1)).toMatchObject({ stage: 'service', keyword: 'COPY', rest: '--from=build /packed /app' });
    const from = Object.fromEntries(instructions('FROM').map((rest) => rest.split(/ AS /).reverse()));
    expect(from).toMatchObject({ service: 'runtime', standalone: 'runtime' });
    expect(from.runtime).toContain('{DEBIAN_IMAGE}');
    expect(images.DEBIAN_IMAGE).toMatch(new RegExp(`^docker\\.io/library/debian:${debian}-slim(@|$)`));
    expect(instructions('COPY', 'runtime')).toEqual(['--from=build /usr/local/bin/node /usr/local/bin/node']);
  });
});

describe('compose.yaml', () => {
  const { gatehouse, db, proxy } = compose.services;

  it('in compose.yaml the service trusts only the proxy, at its address in the shared network', () => {
    const shared = gatehouse.networks.filter((name: string) => name in proxy.networks);
    expect(shared).toEqual(['front']);
    expect(gatehouse.environment.TRUST_PROXY).toBe(proxy.networks.front.ipv4_address);
    const [{ subnet }] = compose.networks.front.ipam.config;
    expect(proxy.networks.front.ipv4_address.split('.').slice(0, 3)).toEqual(subnet.split('.').slice(0, 3));
  });

  it('in compose.yaml PostgreSQL has no outbound network, is recent enough, and stores its data in the volume', () => {
    expect(db.networks).toEqual(['back']);
    expect(compose.networks.back.internal).toBe(true);
    expect(Number(/:(\d+)(?:@|$)/.exec(db.image)![1])).toBeGreaterThanOrEqual(15);
    // The data folder of images since version 18; older images use a subfolder.
    expect(db.volumes).toEqual(['db:/var/lib/postgresql']);
    expect(db.ports).toBeUndefined();
  });

  it('every network, volume, file and variable that compose.yaml names exists', () => {
    const networks = [gatehouse.networks, db.networks, Object.keys(proxy.networks)].flat();
    expect(networks.filter((name) => !(name in compose.networks))).toEqual([]);
    const volumes = [db.volumes, proxy.volumes].flat().map((volume: string) => volume.split(':')[0]!);
    expect(volumes.filter((name) => !name.startsWith('./') && !(name in compose.volumes))).toEqual([]);
    for (const file of volumes.filter((name) => name.startsWith('./'))) {
      expect(existsSync(join(root, 'deploy', file)), file).toBe(true);
    }
    expect(existsSync(join(root, 'deploy', gatehouse.build.context, gatehouse.build.dockerfile))).toBe(true);
    const asked = [...deployed('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    expect(asked.filter((name) => !(name in example) && name !== 'POSTGRES_PASSWORD')).toEqual([]);
    expect(guide).toContain('echo "POSTGRES_PASSWORD=');
  });

  it('every service of compose.yaml waits until its dependencies are healthy', () => {
    expect(gatehouse.depends_on).toEqual({ db: { condition: 'service_healthy' } });
    expect(db.healthcheck.test[1]).toBe('pg_isready');
    expect(proxy.depends_on).toEqual({ gatehouse: { condition: 'service_healthy' } });
    expect(gatehouse).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });
});

describe('gatehouse.service', () => {
  it('confines the service without blocking what it needs', () => {
    expect(unit).toMatchObject({
      NoNewPrivileges: ['yes'],
      ProtectSystem: ['strict'],
      ProtectHome: ['yes'],
      CapabilityBoundingSet: [''],
      StateDirectory: ['gatehouse'],
      // The service itself stops its workers and the embedded PostgreSQL.
      KillMode: ['mixed'],
    });
    // Left open: V8 generates code, cores are counted in /proc, hashing lowers its priority, the launcher calls chown.
    expect(unit.MemoryDenyWriteExecute).toBeUndefined();
    expect(unit.ProcSubset).toBeUndefined();
    expect(unit.SystemCallFilter).toEqual(['@system-service', '~@privileged', '@chown']);
  });

  it('sends SIGHUP on reload and reads its settings where doctor does', () => {
    expect(unit.ExecReload).toEqual(['/bin/kill -HUP $MAINPID']);
    expect(unit.EnvironmentFile).toBeUndefined();
    expect(guide).toContain(`cd ${unit.WorkingDirectory![0]} && exec runuser -u ${unit.User![0]}`);
    const [, program] = /^\/usr\/bin\/node (\S+) serve$/.exec(unit.ExecStart![0]!)!;
    expect(guide).toContain(program);
    expect(existsSync(join(root, program!.replace('/opt/gatehouse/', '')))).toBe(true);
  });
});

const podLabels = (): Record<string, string> => manifest('Deployment').spec.template.metadata.labels;

describe('kubernetes.yaml', () => {
  const MODULES: Record<string, string> = {
    v1: 'core/v1',
    'apps/v1': 'apps/v1',
    'policy/v1': 'policy/v1',
    'networking.k8s.io/v1': 'networking/v1',
  };
  const asCode = (object: Loose) => ({
    from: `${object.kind} ${object.metadata.name}`,
    code: `import type { ${object.kind} } from 'kubernetes-types/${MODULES[object.apiVersion]}.js';
      export const object: ${object.kind} = ${JSON.stringify(object)};`,
  });

  it('every object has only the fields and types of the Kubernetes API', () => {
    const misspelt = structuredClone(manifest('Deployment'));
    misspelt.spec.template.spec.containers[0].readynessProbe = {};
    misspelt.spec.replicas = 'two';
    const pasted = pasteAll([...manifests, misspelt].map(asCode));
    pasted.remove();
    expect(pasted.faults).toHaveLength(2);
    expect(pasted.faults.join('\n')).toMatch(/readynessProbe[\s\S]*string[\s\S]*number|number[\s\S]*readynessProbe/);
  });

  it('no Kubernetes pod is unavailable during an update, and node maintenance leaves a minimum of pods', () => {
    const { spec } = manifest('Deployment');
    expect(spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    expect(manifest('PodDisruptionBudget').spec.minAvailable).toBeLessThan(spec.replicas);
    expect(pod.topologySpreadConstraints[0].topologyKey).toBe('kubernetes.io/hostname');
  });

  it('the selectors match the pods', () => {
    expect(Object.keys(podLabels()).length).toBeGreaterThan(0);
    expect(manifest('Deployment').spec.selector.matchLabels).toEqual(podLabels());
    expect(manifest('PodDisruptionBudget').spec.selector.matchLabels).toEqual(podLabels());
    expect(pod.topologySpreadConstraints[0].labelSelector.matchLabels).toEqual(podLabels());
    expect(manifest('Service').spec.ports[0].targetPort).toBe(container.ports[0].name);
  });

  it('every container is confined, and the init container has the same settings', () => {
    const all = [...pod.initContainers, ...pod.containers];
    expect(all.map(({ args }: Loose) => args)).toEqual([['migrate'], ['serve']]);
    for (const { securityContext, image, envFrom, resources } of all) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      // The operator replaces DIGEST with the digest of the pushed image.
      expect(image).toMatch(/:\d+\.\d+\.\d+@sha256:DIGEST$/);
      expect(envFrom).toEqual([{ secretRef: { name: 'gatehouse' } }, { configMapRef: { name: 'gatehouse' } }]);
      expect(resources.limits).toHaveProperty('cpu');
    }
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.automountServiceAccountToken).toBe(false);
  });
});

describe('docs/deploying.md', () => {
  it('names every file in deploy, and no others', () => {
    const files = readdirSync(join(root, 'deploy')).filter((name) => !name.endsWith('.d.mts'));
    expect(files.filter((name) => !guide.includes(name))).toEqual([]);
    const named = [...guide.matchAll(/\bdeploy\/([\w.-]*\w)/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !files.includes(name))).toEqual([]);
  });
});
