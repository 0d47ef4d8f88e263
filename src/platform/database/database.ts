import { MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import type { Client, Pool } from "pg";
import type { Logger } from "pino";
import { takeBackLostConnections } from "./lost-connections.ts";
import { ormLogger, type StatementObserver } from "./orm-logger.ts";
import { ormOptions, type EntityList } from "./orm-options.ts";
import { preparedStatements, type RunPrepared } from "./prepared-statement.ts";
import { dropConnection } from "./probe-server.ts";
import { guardAgainstStalls } from "./stall-guard.ts";
import { valueInTime } from "../value-in-time.ts";

export interface DatabaseDependencies {
  /** `DATABASE_URL`, or that of the embedded server. */
  readonly connectionString: string;
  readonly entities: EntityList;
  readonly log: Logger;
  /** Most connections of this process, the change feed's two not counted; 10 if omitted. */
  readonly poolSize?: number;
  /** Lets tests count statements. */
  readonly statementObserver?: StatementObserver;
}

/** The database as the rest of the server sees it. It recovers by itself when PostgreSQL was away. */
export interface Database {
  /** For connections of one's own: the change feed, durable turns. */
  readonly connectionString: string;
  readonly orm: MikroORM;
  /** An entity manager with an identity map of its own, for one request or one job. */
  fork(): EntityManager;
  /** For statements of a model call's path. */
  readonly runPrepared: RunPrepared;
  /** How its connections are used, those of the change feed not counted. */
  poolReading(): PoolReading;
  /** Whether a statement is answered within a second, for `/readyz`. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connections of the pool now. */
export interface PoolReading {
  readonly used: number;
  readonly free: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

const connectMs = 2000;
const reachableMs = 1000;

/**
 * Limits that the server keeps for each of our sessions: a forgotten transaction
 * or a statement gone wild must not hold locks for ever. They are set after the
 * connection is made, because poolers refuse them as start-up parameters.
 */
const sessionSettings =
  "set statement_timeout = '30s'; set lock_timeout = '10s'; set idle_in_transaction_session_timeout = '60s'";

/**
 * Opens the database, already checked and migrated (`migrateDatabase`). Without an answer a
 * call fails within about two seconds, whether the server is down (refused),
 * full (no free connection) or frozen (`stall-guard.ts`); `databaseUnavailable`
 * turns the failure into a 503.
 */
export async function openDatabase(dependencies: DatabaseDependencies): Promise<Database> {
  const { connectionString, entities, log, poolSize = 10, statementObserver } = dependencies;
  const orm = await MikroORM.init({
    ...ormOptions(connectionString, entities),
    driverOptions: poolOptions(connectionString, poolSize),
    loggerFactory: () => ormLogger(log, statementObserver),
  });
  const pool = await orm.em.getConnection().getNativeClient();
  takeBackLostConnections(pool);
  const endGuard = guardAgainstStalls(pool, connectionString, () => {
    log.warn("the database hangs, its connections are dropped");
  });
  return {
    connectionString,
    orm,
    fork: () => orm.em.fork(),
    runPrepared: preparedStatements(pool, log, statementObserver),
    poolReading: () => readPool(pool),
    isReachable: () => isReachable(orm),
    close: async () => {
      // It waits for statements in flight, so the guard has to outlast it.
      await orm.close().finally(endGuard);
    },
  };
}

function poolOptions(connectionString: string, poolSize: number) {
  return {
    connectionString,
    application_name: "causeway",
    max: poolSize,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // The pool waits for it, and discards the connection when it fails.
    onConnect: prepareSession,
  };
}

async function prepareSession(client: Client): Promise<void> {
  // The pool's own limit ends with the connection's first answer.
  const limit = setTimeout(() => dropConnection(client), connectMs);
  try {
    await client.query(sessionSettings);
  } finally {
    clearTimeout(limit);
  }
}

function readPool({ totalCount, idleCount, waitingCount }: Pool): PoolReading {
  return { used: totalCount - idleCount, free: idleCount, waiting: waitingCount };
}

function isReachable(orm: MikroORM): Promise<boolean> {
  return valueInTime(orm.isConnected(), reachableMs, false);
}
