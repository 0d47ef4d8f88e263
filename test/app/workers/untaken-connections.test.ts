import { EventEmitter } from "node:events";
import type { ChildProcess } from "node:child_process";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { UntakenConnections } from "../../../src/app/workers/untaken-connections.ts";

let sequence = 0;

/** A worker as Node's cluster sees it: messages go in by `send`, answers come as events. */
class Worker extends EventEmitter {
  send(_message: object, _handle?: object): boolean {
    return true;
  }
}

function crewOf(count: number) {
  const connections = new UntakenConnections();
  const workers = Array.from({ length: count }, () => new Worker());
  for (const worker of workers) connections.watch(worker as unknown as ChildProcess);
  return { connections, workers };
}

function connection() {
  return { isClosed: false, close: closeOnce };
}

function closeOnce(this: { isClosed: boolean }): void {
  expect(this.isClosed).toBe(false);
  this.isClosed = true;
}

function give(worker: Worker | undefined, handle: object): number {
  worker?.send({ act: "newconn", seq: ++sequence }, handle);
  return sequence;
}

describe("UntakenConnections", () => {
  it("closes what a worker was sent and died before it took", () => {
    const { workers } = crewOf(1);
    const [taken, lost] = [connection(), connection()];
    workers[0]?.emit("internalMessage", { ack: give(workers[0], taken), accepted: true });
    give(workers[0], lost);
    workers[0]?.emit("exit");
    expect([taken.isClosed, lost.isClosed]).toEqual([false, true]);
  });

  it("leaves what was given back to the others until all stop", async () => {
    const { connections, workers } = crewOf(2);
    const [passedOn, waiting] = [connection(), connection()];
    const ack = give(workers[0], passedOn);
    give(workers[1], passedOn);
    workers[0]?.emit("internalMessage", { ack, accepted: false });
    workers[0]?.emit("internalMessage", { ack: give(workers[0], waiting), accepted: false });
    await turn();
    expect([passedOn.isClosed, waiting.isClosed]).toEqual([false, false]);
    connections.stop();
    expect([passedOn.isClosed, waiting.isClosed]).toEqual([false, true]);
  });

  it("closes what is given back when all stop", async () => {
    const { connections, workers } = crewOf(1);
    const late = connection();
    const ack = give(workers[0], late);
    connections.stop();
    expect(late.isClosed).toBe(false);
    workers[0]?.emit("internalMessage", { ack, accepted: false });
    await turn();
    expect(late.isClosed).toBe(true);
  });
});
