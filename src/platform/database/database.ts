import { MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import { Client, type Pool } from "pg";
import type { Logger } from "pino";
import { withStallTolerantTimeoutFallback } from "../free-time.ts";
import {
  DatabaseConnectionQueue,
  type DatabaseConnectionFailureCounts,
} from "./connection-queue.ts";
import { DatabasePoolExhaustedError } from "./database-unavailable.ts";
import { releaseLostPoolConnections } from "./lost-connections.ts";
import { createOrmLogger, type StatementTextObserver } from "./orm-logger.ts";
import { buildOrmOptions, type OrmEntityList } from "./orm-options.ts";
import {
  createPreparedStatementRunner,
  type PreparedStatementRunner,
} from "./prepared-statement.ts";
import { dropSilentDatabaseConnection, probeDatabaseServer } from "./probe-server.ts";
import { DatabaseStallGuard } from "./stall-guard.ts";

export interface DatabaseDependencies {
  /** `DATABASE_URL`, or that of the embedded server. */
  readonly connectionString: string;
  readonly entities: OrmEntityList;
  readonly log: Logger;
  /** Most connections of this process, the change feed's two not counted; 10 if omitted. */
  readonly poolSize?: number;
  /** Longest wait for a connection of a full pool, in milliseconds; 10 000 if omitted. */
  readonly waitMs?: number;
  /** Lets tests count statements. */
  readonly statementObserver?: StatementTextObserver;
}

/** The database as the rest of the server sees it. It recovers by itself when PostgreSQL was away. */
export interface Database {
  /** For connections of one's own: the change feed, durable turns. */
  readonly connectionString: string;
  readonly orm: MikroORM;
  /** An entity manager with an identity map of its own, for one request or one job. */
  fork(): EntityManager;
  /** For statements of a model call's path. */
  readonly runPrepared: PreparedStatementRunner;
  /** How its connections are used, those of the change feed not counted. */
  poolStats(): ConnectionPoolStats;
  /** Whether the server answers a statement within a second, for `/readyz`; a full pool is no obstacle. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connections of the pool now. */
export interface ConnectionPoolStats {
  readonly used: number;
  readonly free: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** Callers that got none, since the start. */
  readonly failures: DatabaseConnectionFailureCounts;
}

const defaultWaitMs = 10_000;
/** A new connection over which nothing comes for so long is given up, while others work. */
const connectMs = 5000;
const reachableMs = 1000;

/**
 * Limits that the server keeps for each of our sessions: a forgotten transaction
 * or a statement gone wild must not hold locks for ever. They are set after the
 * connection is made, because poolers refuse them as start-up parameters.
 */
const sessionSettings =
  "set statement_timeout = '30s'; set lock_timeout = '10s'; set idle_in_transaction_session_timeout = '60s'";

/**
 * Opens the database, already checked and migrated (`migrateDatabase`). When the
 * server is down a call fails at once, and when it hangs within about two seconds
 * (`stall-guard.ts`). When it is slow or the pool is full, a call waits ten seconds
 * for a connection (`connection-queue.ts`). `toDatabaseUnavailableError` turns these
 * failures into a 503 that says which it is.
 */
export async function openMigratedDatabase(dependencies: DatabaseDependencies): Promise<Database> {
  const { connectionString, entities, log, poolSize = 10, statementObserver } = dependencies;
  const { waitMs = defaultWaitMs } = dependencies;
  const guard = new DatabaseStallGuard(connectionString, () => {
    log.warn("the database hangs, its connections are dropped");
    queue.failAll(new Error("Connection terminated: the database hangs"));
  });
  const orm = await MikroORM.init({
    ...buildOrmOptions(connectionString, entities),
    driverOptions: poolOptions(connectionString, poolSize, guard),
    loggerFactory: () => createOrmLogger(log, statementObserver),
  });
  const pool = await orm.em.getConnection().getNativeClient();
  const queue = new DatabaseConnectionQueue({ pool, limitMs: waitMs, log });
  releaseLostPoolConnections(pool);
  const endGuard = guard.start(pool);
  return {
    connectionString,
    orm,
    fork: () => orm.em.fork(),
    runPrepared: createPreparedStatementRunner(pool, queue, log, statementObserver),
    poolStats: () => readPool(pool, queue),
    isReachable: () => isReachable(pool, queue, connectionString),
    close: async () => {
      // It waits for statements in flight, so the guard has to outlast it.
      await queue
        .close()
        .then(() => orm.close())
        .finally(endGuard);
    },
  };
}

function poolOptions(connectionString: string, poolSize: number, guard: DatabaseStallGuard) {
  return {
    connectionString,
    application_name: "causeway",
    max: poolSize,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    Client: class extends Client {
      constructor(options: ConstructorParameters<typeof Client>[0]) {
        super(options);
        guard.watch(this);
        const endLimit = dropSilentDatabaseConnection(this, connectMs, { reason: slowConnection });
        this.once("connect", endLimit);
        this.once("end", endLimit);
      }
    },
    // The pool waits for it, and discards the connection when it fails.
    onConnect: prepareSession,
  };
}

async function prepareSession(client: Client): Promise<void> {
  const endLimit = dropSilentDatabaseConnection(client, connectMs, { reason: slowConnection });
  try {
    await client.query(sessionSettings);
  } finally {
    endLimit();
  }
}

/** Where the server hangs, the guard notices before. */
function slowConnection(): Error {
  return new DatabasePoolExhaustedError(`A new connection got no answer within ${connectMs} ms.`);
}

function readPool(
  { totalCount, idleCount }: Pool,
  queue: DatabaseConnectionQueue,
): ConnectionPoolStats {
  return {
    used: totalCount - idleCount,
    free: idleCount,
    waiting: queue.waiting,
    failures: queue.failures,
  };
}

async function isReachable(
  pool: Pool,
  queue: DatabaseConnectionQueue,
  connectionString: string,
): Promise<boolean> {
  if (queue.isFull) return (await probeDatabaseServer(connectionString, reachableMs)) !== "silent";
  const answer = pool.query("select 1").then(
    () => true,
    () => false,
  );
  return withStallTolerantTimeoutFallback(answer, reachableMs, false);
}
