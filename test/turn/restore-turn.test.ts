import { describe, expect, it } from "vitest";
import { buildResponsesQueuedResponse } from "../../src/dialect/responses/queued-response.ts";
import { serializeSseEvent } from "../../src/platform/sse/serialize-event.ts";
import { restoreTurnFromEvents } from "../../src/turn/restore-turn.ts";
import type { ClaimedTurn } from "../../src/turn/turn-queue.ts";
import type { StoredTurn } from "../../src/turn/turn-store.ts";
import { countEventLoopTurns } from "../support/event-loop-turns.ts";

const mebibyte = 1024 * 1024;
const response = buildResponsesQueuedResponse({ id: "turn_1", created: 1, body: { model: "m" } });
const turn = { id: "turn_1", content: { response } } as unknown as StoredTurn;
const claim = { turnId: "turn_1", attempt: 2 } as unknown as ClaimedTurn;
const type = "response.output_text.delta";

/** Restores a turn whose events came in one batch. */
function restore(count: number, characters: number) {
  const frames = Array.from({ length: count }, (_, at) => {
    const event = { type, sequence_number: at, output_index: 0, delta: "x".repeat(characters) };
    return serializeSseEvent(event, type);
  });
  const page = { batches: [{ first: 0, frames }], hasMore: false, hasEnded: false };
  return restoreTurnFromEvents(
    {
      queue: { stepRecords: () => Promise.resolve([]) },
      store: { load: () => Promise.resolve(turn), framesAfter: () => Promise.resolve(page) },
    },
    claim,
  );
}

describe("restoreTurnFromEvents", () => {
  it("lets the event loop run after each mebibyte of a batch", async () => {
    const { result, turns } = await countEventLoopTurns(() => restore(60, mebibyte / 4));
    expect(result?.journal.next).toBe(60);
    expect(turns).toBeGreaterThanOrEqual(14);
  });

  it("restores a small batch at once", async () => {
    const { turns } = await countEventLoopTurns(() => restore(60, 10));
    expect(turns).toBe(0);
  });
});
