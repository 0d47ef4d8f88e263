import type { EntityManager } from "@mikro-orm/postgresql";
import { expect, it } from "vitest";
import { StoredResponseStore } from "../../../src/gateway/stored-responses/stored-response-store.ts";
import { SecretBox } from "../../../src/platform/crypto/secret-box.ts";
import { noopMemoryReserver } from "../../../src/platform/hold-memory.ts";
import { StoredJsonParseBudget } from "../../../src/platform/stored-json-budget.ts";

const box = new SecretBox([Buffer.alloc(32, 1)]);
const clock = { now: () => 0 };
const isRunning = async () => false;
const budget = () => new StoredJsonParseBudget(noopMemoryReserver, 10);

/** A store on a database without rows, and the parameters of its last statement. */
function createStore() {
  let parameters: unknown[] = [];
  const execute = async (_sql: string, sent: unknown[]) => {
    parameters = sent;
    return [];
  };
  const fork = () => ({ execute }) as unknown as EntityManager;
  const store = new StoredResponseStore({ fork, box, clock, days: 1, isRunning });
  return { store, parameters: () => parameters };
}

it("Stored responses are loaded up to 32 MiB, which are sealed as base64", async () => {
  const { store, parameters } = createStore();
  const sealedBytes = (32 * 1024 * 1024 * 4) / 3;
  await store.items("a", ["msg_1"], budget());
  expect(parameters().at(-1)).toBeCloseTo(sealedBytes);
  await store.conversation("a", "resp_1", budget());
  expect(parameters().at(-1)).toBeCloseTo(sealedBytes);
});
