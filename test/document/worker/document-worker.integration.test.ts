import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ServiceDocumentWorker } from "../../../src/document/worker/document-worker.ts";
import { harBytes } from "../har.ts";

describe("the thread that learns", () => {
  it("ends when it is idle, and loses no task that comes while it does", async () => {
    const worker = new ServiceDocumentWorker(0);
    const capture = harBytes([{ url: "https://one.test/v1/users/17" }]);
    for (const pauseMs of [0, 1, 2, 3, 5, 8]) {
      const { learned } = await worker.run({ kind: "learn", capture });
      expect(learned.length).toBeGreaterThan(0);
      await delay(pauseMs);
    }
    await worker.close();
  });
});
