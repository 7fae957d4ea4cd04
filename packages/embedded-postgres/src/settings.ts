/** A small footprint. Durability is not reduced: fsync, synchronous_commit and full_page_writes keep their defaults. */
const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  shared_buffers: '64MB',
  huge_pages: 'off',
  // The other values of `io_method` keep worker processes or kernel rings for reads that this service rarely makes.
  io_method: 'sync',
  jit: 'off',
  max_wal_size: '512MB',
  autovacuum_max_workers: '2',
  autovacuum_worker_slots: '2',
  max_worker_processes: '2',
  // Without replication no launcher process is needed.
  max_wal_senders: '0',
  max_replication_slots: '0',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // Above `error`: unique violations are normal here, and their details would put email addresses into the log.
  log_min_messages: 'log',
};

/** A second socket is in the cluster folder, by which any process that sees the folder can detect that it is in use. */
export function postgresArguments(cluster: string, socketFolder: string, extra: Record<string, string>): string[] {
  const settings = { ...SETTINGS, ...extra, unix_socket_directories: `${socketFolder},.` };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
