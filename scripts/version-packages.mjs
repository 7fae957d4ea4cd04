// `npm run version:packages`: sets the next version of all packages; moves the texts of `.changeset` to CHANGELOG.md.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, tool } from './run.mjs';
import { fail, root } from './setup.mjs';

const ACTION = 'Action required:';

/** Files besides the manifests that contain the version, and where. */
const PYTHON = [
  ['sdks/python/pyproject.toml', /^version = "(.*)"$/m],
  ['sdks/python/gatehouse_verify/__init__.py', /^__version__ = "(.*)"$/m],
];

const changesets = () =>
  readdirSync(join(root, '.changeset'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => readFileSync(join(root, '.changeset', name), 'utf8'));

/** Returns the section of a version. Entries that require action come first. */
function renderSection(version, files) {
  const texts = files.map((file) => file.replace(/^---\n[\s\S]*?\n---\n/, '').trim());
  const sorted = [
    ...texts.filter((text) => text.startsWith(ACTION)),
    ...texts.filter((text) => !text.startsWith(ACTION)),
  ];
  return `## ${version}\n\n${sorted.map((text) => `- ${text.replaceAll(/\n(?=.)/g, '\n  ')}\n`).join('')}`;
}

/** Puts a section above those of earlier versions. */
const addSection = (changelog, section) => changelog.replace(/(?=^## )/m, () => `${section}\n`);

/** Returns the lock file with the new version of each workspace, and of each dependency on one. */
function setLocked(lock, version) {
  const workspaces = Object.entries(lock.packages)
    .filter(([path]) => path !== '' && !path.includes('node_modules'))
    .map(([, workspace]) => workspace);
  const names = new Set(workspaces.map(({ name }) => name));
  for (const workspace of workspaces) {
    workspace.version = version;
    for (const name of Object.keys(workspace.dependencies ?? {})) {
      if (names.has(name)) workspace.dependencies[name] = version;
    }
  }
  return lock;
}

function replaceIn(path, change) {
  const file = join(root, path);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

const files = changesets();
if (files.length === 0) fail('There are no changesets to release. Describe a change with: npm run changeset');
const code = await run(tool('@changesets/cli/bin.js'), ['version']);
if (code !== 0) process.exit(code);
const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'));
replaceIn('CHANGELOG.md', (text) => addSection(text, renderSection(version, files)));
replaceIn('package-lock.json', (text) => `${JSON.stringify(setLocked(JSON.parse(text), version), null, 2)}\n`);
for (const [path, place] of PYTHON) {
  replaceIn(path, (text) => text.replace(place, (line, before) => line.replace(before, version)));
}
console.log(`The packages have version ${version}. Read CHANGELOG.md, then commit.`);
