/** How the connections of a server are divided among the processes of one machine. */
export interface DatabaseConnectionBudget {
  /** Of each process's pool. */
  readonly poolSize: number;
  /** What the embedded server has to take. */
  readonly maxConnections: number;
}

/** A process alone never needs more, and a call keeps one for a millisecond. */
const maxPoolSize = 10;
/** With one, whoever asks while a transaction is open would wait for it. */
const minPoolSize = 2;

/** Beside the pool: the change feed's two, the mark of the embedded server's user, one for moments (probes, migrations). */
const connectionsOutsidePool = 4;

/** PostgreSQL's default, which an operator's server has as a rule. */
const defaultMaxConnections = 100;
/** For superusers, backups and whoever looks after the database. */
const leftForOthers = 10;

/**
 * The pools of all processes fit into a server of PostgreSQL's default size as
 * long as there are at most fifteen; beyond that each has the smallest pool, and
 * the server must take more.
 */
export function planDatabaseConnections(processes: number): DatabaseConnectionBudget {
  const share =
    Math.floor((defaultMaxConnections - leftForOthers) / processes) - connectionsOutsidePool;
  const poolSize = Math.min(maxPoolSize, Math.max(minPoolSize, share));
  const needed = processes * (poolSize + connectionsOutsidePool) + leftForOthers;
  return { poolSize, maxConnections: Math.max(defaultMaxConnections, needed) };
}
