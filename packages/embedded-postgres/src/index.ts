export { hasCluster, locateCluster } from './cluster-location.ts';
export { type EmbeddedOptions, type EmbeddedPostgres, openEmbedded } from './embedded.ts';
export { EmbeddedError } from './error.ts';
export { findPostmaster } from './postmaster-file.ts';
export type { EmbeddedLog, Hints } from './site.ts';
