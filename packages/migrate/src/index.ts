export type { Connection, Queries } from './connection.ts';
export type { Lock } from './effects.ts';
export { faultsOf } from './expand-rule.ts';
export { type Forecast, forecast, type HeldLock } from './forecast.ts';
export { type Applied, type MigrateOptions, type MigrationStatus, migrate, migrationStatus } from './migrate.ts';
export type { History, Migration, NewIndex, Release } from './migration.ts';
export { type LockHolder, listLongLockHolders, type TableSize, tableSizes } from './table-sizes.ts';
