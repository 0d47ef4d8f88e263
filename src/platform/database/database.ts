import { MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { ormOptions, type EntityList } from "./orm-options.ts";

export interface DatabaseOptions {
  readonly connectionString: string;
  readonly entities: EntityList;
  readonly log: Logger;
}

export interface Database {
  readonly connectionString: string;
  readonly orm: MikroORM;
  fork(): EntityManager;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export async function openDatabase({
  connectionString,
  entities,
}: DatabaseOptions): Promise<Database> {
  const orm = await MikroORM.init(ormOptions(connectionString, entities));
  return {
    connectionString,
    orm,
    fork: () => orm.em.fork(),
    isReachable: () => orm.isConnected(),
    close: () => orm.close(),
  };
}
