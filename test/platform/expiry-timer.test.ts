import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PrincipalExpiryRecheckTimer } from "../../src/platform/expiry-timer.ts";
import type { Principal } from "../../src/platform/principal.ts";

const maxTimerMs = 2 ** 31 - 1;

const expiringAt = (expiresAt: number | undefined): Principal => ({
  kind: "session",
  sessionId: "ses_1",
  accountId: "usr_1",
  userId: "usr_1",
  expiresAt,
});

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** A timer, and how often it has called back. */
function startTimer(expiresAt: number | undefined) {
  const onExpiry = vi.fn<() => void>();
  const timer = new PrincipalExpiryRecheckTimer({ now: () => Date.now() }, onExpiry);
  timer.set(expiringAt(expiresAt));
  return { timer, onExpiry };
}

describe("ExpiryTimer", () => {
  it("calls back at the expiry", () => {
    const { onExpiry } = startTimer(1000);
    vi.advanceTimersByTime(999);
    expect(onExpiry).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onExpiry).toHaveBeenCalledOnce();
  });

  it("waits as long as a timer of Node can when the expiry is later", () => {
    const { onExpiry } = startTimer(maxTimerMs + 1000);
    vi.advanceTimersByTime(maxTimerMs - 1);
    expect(onExpiry).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onExpiry).toHaveBeenCalledOnce();
  });

  it("waits for the last expiry that was set", () => {
    const { timer, onExpiry } = startTimer(1000);
    timer.set(expiringAt(5000));
    vi.advanceTimersByTime(4999);
    expect(onExpiry).not.toHaveBeenCalled();
    timer.set(expiringAt(undefined));
    vi.advanceTimersByTime(10_000);
    expect(onExpiry).not.toHaveBeenCalled();
  });

  it("never calls back after it was stopped, whatever is set", () => {
    const { timer, onExpiry } = startTimer(1000);
    timer.stop();
    timer.set(expiringAt(2000));
    vi.advanceTimersByTime(10_000);
    expect(onExpiry).not.toHaveBeenCalled();
  });
});
