/** How the connections of a server are divided among the processes of one machine. */
export interface ConnectionPlan {
  /** Of each process's pool. */
  readonly poolSize: number;
  /** What the embedded server has to take. */
  readonly maxConnections: number;
}

/** A process alone never needs more, and a call keeps one for a millisecond. */
const largestPool = 10;
/** With one, whoever asks while a transaction is open would wait for it. */
const smallestPool = 2;

/** Beside the pool: the change feed's two, the mark of the embedded server's user, one for moments (probes, migrations). */
const besidePool = 4;

/** PostgreSQL's default, which an operator's server has as a rule. */
const usualMaximum = 100;
/** For superusers, backups and whoever looks after the database. */
const leftForOthers = 10;

/**
 * The pools of all processes fit into a server of PostgreSQL's default size as
 * long as there are at most fifteen; beyond that each has the smallest pool, and
 * the server must take more.
 */
export function planConnections(processes: number): ConnectionPlan {
  const share = Math.floor((usualMaximum - leftForOthers) / processes) - besidePool;
  const poolSize = Math.min(largestPool, Math.max(smallestPool, share));
  const needed = processes * (poolSize + besidePool) + leftForOthers;
  return { poolSize, maxConnections: Math.max(usualMaximum, needed) };
}
