import type { ResponsePlan, CallPlan, ReceivedResponse, Payment } from "./call.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { dialectNames } from "./wire/wires.ts";

/** Of a paid call: its reserve is to tell its number alone. */
export const paidPrompt = "x".repeat(40);

const longPrompt = "A long prompt. ".repeat(8000);

const payments: readonly (readonly [number, Payment])[] = [
  [45, "linked"],
  [15, "endpoint"],
  [40, "wallet"],
];

const answerings: readonly (readonly [number, ResponsePlan["kind"]])[] = [
  [90, "whole"],
  [4, "refuse"],
  [2, "reset"],
  [4, "break"],
];

const hearings: readonly (readonly [number, ReceivedResponse["kind"]])[] = [
  [76, "all"],
  [20, "leave"],
  [4, "slow"],
];

/** A call of the mix. */
export function planCall(random: SeededRandom): CallPlan {
  const payment = random.weighted(payments);
  const hearing = planHearing(random);
  return {
    from: random.pick(dialectNames),
    // The endpoint is one of chat completions.
    to: payment === "endpoint" ? "chat" : random.pick(dialectNames),
    payment,
    isStream: hearing.kind === "slow" || random.next() < 0.6,
    prompt: payment !== "wallet" && random.next() < 0.03 ? longPrompt : paidPrompt,
    answering: planAnswering(random, hearing),
    hearing,
  };
}

function planHearing(random: SeededRandom): ReceivedResponse {
  const kind = random.weighted(hearings);
  return { kind, afterMs: kind === "slow" ? 100 : random.between(0, 250) };
}

/** Who reads slowly gets more than the sockets between hold. */
function planAnswering(random: SeededRandom, { kind }: ReceivedResponse): ResponsePlan {
  if (kind === "slow")
    return { kind: "whole", delayMs: 0, everyMs: 0, pieces: 200, pieceLength: 4000 };
  return {
    kind: random.weighted(answerings),
    delayMs: random.between(0, 120),
    everyMs: random.between(1, 25),
    pieces: random.between(2, 16),
    pieceLength: random.between(4, 60),
  };
}
