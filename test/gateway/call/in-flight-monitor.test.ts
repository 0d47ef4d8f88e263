import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  InFlightCallTimeoutMonitor,
  type MonitoredCall,
} from "../../../src/gateway/call/in-flight-monitor.ts";

function callNamed(
  name: string,
  seen: string[],
  onTick?: (call: MonitoredCall) => void,
): MonitoredCall {
  const call: MonitoredCall = {
    watchIndex: -1,
    tick: () => {
      seen.push(name);
      onTick?.(call);
    },
    drain: () => void seen.push(`${name} drained`),
  };
  return call;
}

describe("InFlightMonitor", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("looks at every call, also when calls leave while it looks", () => {
    const watch = new InFlightCallTimeoutMonitor(10);
    const seen: string[] = [];
    const calls = ["a", "b", "c"].map((name) =>
      callNamed(name, seen, (call) => watch.delete(call)),
    );
    for (const call of calls) watch.add(call);
    vi.advanceTimersByTime(10);
    expect(seen).toEqual(["a", "b", "c"]);
    expect(watch.size).toBe(0);
    watch.close();
  });

  it("keeps the others when one leaves, wherever it was", () => {
    for (const leaving of [0, 1, 2]) {
      const watch = new InFlightCallTimeoutMonitor(10);
      const seen: string[] = [];
      const calls = ["a", "b", "c"].map((name) => callNamed(name, seen));
      for (const call of calls) watch.add(call);
      const [gone] = calls.splice(leaving, 1);
      if (gone !== undefined) watch.delete(gone);
      if (gone !== undefined) watch.delete(gone);
      for (const call of calls) watch.delete(call);
      expect(watch.size).toBe(0);
      watch.close();
    }
  });

  it("drains what is in flight", () => {
    const watch = new InFlightCallTimeoutMonitor(10);
    const seen: string[] = [];
    watch.add(callNamed("a", seen));
    watch.add(callNamed("b", seen));
    watch.drain();
    expect(seen).toEqual(["a drained", "b drained"]);
    watch.close();
  });
});
