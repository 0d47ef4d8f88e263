/**
 * Settings of a small server that is always on. They are given at each start,
 * so that a release can change them. What is not named here is PostgreSQL's own
 * default; `fsync` and `synchronous_commit` are named because a committed row
 * must survive whatever is killed.
 */
export const embeddedPostgresSettings: Readonly<Record<string, string>> = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  max_connections: "100",
  // Memory: pages are touched as they are used, so these are upper bounds.
  shared_buffers: "64MB",
  work_mem: "4MB",
  maintenance_work_mem: "32MB",
  // Few processes beside the connections' own.
  io_method: "sync",
  max_worker_processes: "2",
  max_parallel_workers: "0",
  max_logical_replication_workers: "0",
  autovacuum_max_workers: "2",
  autovacuum_worker_slots: "2",
  jit: "off",
  // No replicas: the shortest log that still recovers.
  wal_level: "minimal",
  max_wal_senders: "0",
  min_wal_size: "32MB",
  max_wal_size: "256MB",
  // Statements may hold what is sealed elsewhere: none is ever logged.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_statement: "none",
  log_checkpoints: "off",
  log_autovacuum_min_duration: "-1",
  log_line_prefix: "%m [%p] ",
  log_timezone: "UTC",
  timezone: "UTC",
};
