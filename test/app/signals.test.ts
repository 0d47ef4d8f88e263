import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { onStopSignals } from "../../src/app/start/signals.ts";

// What real processes make of real signals is in test/process/signals.system.test.ts.
describe("onStopSignals()", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** Says what was called; `send` is the operating system. */
  function listen() {
    const source = new EventEmitter();
    const heard: string[] = [];
    onStopSignals(
      (signal) => heard.push(`drain ${signal}`),
      () => heard.push("exit"),
      source,
    );
    return { heard, send: (signal: string) => source.emit(signal, signal) };
  }

  it.each(["SIGTERM", "SIGINT"])("drains on the first %s", (signal) => {
    const { heard, send } = listen();
    send(signal);
    expect(heard).toEqual([`drain ${signal}`]);
  });

  it("takes a second signal within a second for the same one", () => {
    const { heard, send } = listen();
    send("SIGINT");
    vi.advanceTimersByTime(999);
    send("SIGINT");
    send("SIGTERM");
    expect(heard).toEqual(["drain SIGINT"]);
  });

  it("exits on a second signal that comes a second later", () => {
    const { heard, send } = listen();
    send("SIGTERM");
    vi.advanceTimersByTime(1000);
    send("SIGINT");
    expect(heard).toEqual(["drain SIGTERM", "exit"]);
  });
});
