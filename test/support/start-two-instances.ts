import { randomBytes } from "node:crypto";
import { startTestInstance, type TestInstance } from "./test-instance.ts";

/** Two servers on one database, which share nothing else. */
export interface TwoInstances {
  readonly first: TestInstance;
  readonly second: TestInstance;
  close(): Promise<void>;
}

export async function startTwoInstances(): Promise<TwoInstances> {
  const CAUSEWAY_SECRET_KEY = randomBytes(32).toString("base64");
  const first = await startTestInstance({ environment: { CAUSEWAY_SECRET_KEY } });
  const DATABASE_URL = first.connectionString;
  const second = await startTestInstance({ environment: { CAUSEWAY_SECRET_KEY, DATABASE_URL } });
  const close = async (): Promise<void> => {
    await second.close();
    await first.close();
  };
  return { first, second, close };
}
