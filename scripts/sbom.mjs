// `npm run --silent sbom > gatehouse.cdx.json`: shipped packages as CycloneDX 1.6; with `-- --licenses`: by license.
import { pathToFileURL } from 'node:url';
import { listLocked } from './locked.mjs';

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** `sha512-<base64>`, as npm writes it. */
const hashOf = (integrity) => ({
  alg: 'SHA-512',
  content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
});

const licenseOf = (license) => (/[ (]/.test(license) ? { expression: license } : { license: { id: license } });

/** Deterministic: the same lock file gives the same text. */
export function makeSbom(packages = listLocked()) {
  const [service] = packages.filter(({ name }) => name === '@gatehouse/server');
  const componentOf = (one) => ({
    type: one === service ? 'application' : 'library',
    'bom-ref': purlOf(one),
    name: one.name,
    version: one.version,
    purl: purlOf(one),
    licenses: [licenseOf(one.license)],
    ...(one !== service && { scope: one.isOptional ? 'optional' : 'required' }),
    ...(one.integrity && { hashes: [hashOf(one.integrity)] }),
  });
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf(service) },
    components: packages.filter((one) => one !== service).map(componentOf),
    dependencies: packages.map((one) => ({
      ref: purlOf(one),
      dependsOn: [...new Set(one.needs.map(purlOf))].sort(),
    })),
  };
}

export function listLicenses(packages = listLocked()) {
  const licenses = new Map();
  for (const { name, version, license } of packages) {
    licenses.set(license, [...(licenses.get(license) ?? []), `${name} ${version}`]);
  }
  return [...licenses].sort(([left], [right]) => (left < right ? -1 : 1));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [option, ...more] = process.argv.slice(2);
  if (more.length > 0 || (option !== undefined && option !== '--licenses')) {
    console.error('npm run --silent sbom, or npm run --silent sbom -- --licenses');
    process.exitCode = 2;
  } else if (option) {
    for (const [license, names] of listLicenses())
      console.log(`${license} (${names.length})\n  ${names.join('\n  ')}\n`);
  } else {
    console.log(JSON.stringify(makeSbom(), null, 2));
  }
}
