import { describe, expect, it } from 'vitest';
import { listLicenses, makeSbom } from './sbom.mjs';

/** Licenses that may be shipped with any product. libvips (LGPL) is linked by sharp and can be replaced. */
const WELCOME = new Set([
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 AND LGPL-3.0-or-later',
  'Apache-2.0 AND LGPL-3.0-or-later AND MIT',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'LGPL-3.0-or-later',
  'MIT',
  'MIT AND PostgreSQL',
  'MIT-0',
  'Unlicense',
]);

describe('npm run sbom', () => {
  const { components, dependencies, metadata } = makeSbom();
  const names = components.map(({ name }) => name);

  it('lists the packages of the service, its pages and the SDKs, without tools', () => {
    expect(metadata.component.name).toBe('@gatehouse/server');
    expect(names).toEqual(
      expect.arrayContaining(['fastify', 'pg', 'jose', 'react', '@mantine/core', '@gatehouse/verify']),
    );
    for (const tool of ['vitest', 'typescript', 'express', 'playwright-core']) expect(names).not.toContain(tool);
  });

  it("has a version and a license for every component, and npm's hash unless the component is a package of this repository", () => {
    for (const { name, purl, licenses, hashes } of components) {
      expect(purl, name).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/);
      expect(licenses, name).toHaveLength(1);
      if (!name.startsWith('@gatehouse/')) expect(hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{128}$/);
    }
  });

  it('lists each component once, with all its dependencies', () => {
    const known = new Set([metadata.component, ...components].map(({ purl }) => purl));
    expect(known.size).toBe(components.length + 1);
    for (const { ref, dependsOn } of dependencies) {
      for (const purl of [ref, ...dependsOn]) expect(known.has(purl), purl).toBe(true);
    }
  });
});

it('the license of every component is allowed', () => {
  expect(
    listLicenses()
      .map(([license]) => license)
      .filter((license) => !WELCOME.has(license)),
  ).toEqual([]);
});
