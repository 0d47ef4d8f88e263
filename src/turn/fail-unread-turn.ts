import type { EntityManager } from "@mikro-orm/postgresql";
import { serializeSseEvent } from "../platform/sse/serialize-event.ts";
import type { TurnMetrics } from "../platform/telemetry/turn-metrics.ts";
import { runTransactionMarkingLeaseLost, type TurnLeaseState } from "./leased-turn.ts";
import type { InProcessTurnNotifier } from "./turn-notifier.ts";
import type { ClaimedTurn, TurnQueue } from "./turn-queue.ts";
import type { TurnStore } from "./turn-store.ts";
import { retryWhileDatabaseDown } from "./turn-writer.ts";

interface FailUnreadTurnDependencies {
  readonly queue: TurnQueue;
  readonly store: TurnStore;
  readonly notifier: InProcessTurnNotifier;
  readonly fork: () => EntityManager;
  readonly counts: TurnMetrics;
}

/** The error of a turn that fails because of this server. */
export const serverErrorTurnFailure = { code: "server_error", message: "The server failed." };

/**
 * Ends a turn as failed without reading what it was asked or what it said, which may be what
 * no process gets through within a lease. Its output is empty.
 */
export async function failTurnWithoutReading(
  { queue, store, notifier, fork, counts }: FailUnreadTurnDependencies,
  claim: ClaimedTurn,
  lease: TurnLeaseState,
): Promise<void> {
  const { turnId, runId } = claim;
  const outline = await retryWhileDatabaseDown(() => store.outline(turnId), lease);
  if (outline === undefined) {
    await runTransactionMarkingLeaseLost(fork, lease, (em) => queue.complete(em, runId));
    return;
  }
  const response = { ...outline.queued, status: "failed", error: serverErrorTurnFailure };
  const [type, sequence_number] = ["response.failed", outline.lastSequence + 1];
  const frame = serializeSseEvent({ type, sequence_number, response }, type);
  const last = { first: sequence_number, frames: [frame] };
  const sealed = await store.sealEnd(turnId, response, last);
  await runTransactionMarkingLeaseLost(fork, lease, async (em) => {
    await queue.assertLease(em, runId);
    await store.end(em, turnId, sealed);
    await queue.deleteStepRecords(em, claim);
    await queue.complete(em, runId);
  });
  if (lease.hasLostLease) return;
  notifier.notify(turnId, { batches: [last], hasEnded: true });
  counts.countEnd("failed", undefined);
}
