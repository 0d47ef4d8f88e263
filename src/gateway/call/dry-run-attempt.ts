import { openMemoryReservationScope } from "../../platform/hold-memory.ts";
import type { CallerResponse } from "./caller-response.ts";
import type { TargetSequenceDependencies } from "./target-sequence.ts";
import type { RoutedCall } from "./model-call.ts";
import { prepareAttempt } from "./prepare-attempt.ts";
import type { CallRequestBody } from "./read-call-body.ts";
import { reserveAttemptCredits } from "./reserve-attempt.ts";
import { settleCallReservation } from "./settle-call.ts";

/** Throws what keeps a call from being made now: it cannot be carried, or paid. Nothing is held. */
export async function assertCallCanStart(
  dependencies: TargetSequenceDependencies,
  call: RoutedCall,
  body: CallRequestBody,
  answer: CallerResponse,
): Promise<void> {
  const { hold, giveBack } = openMemoryReservationScope(call.hold);
  try {
    const counted = { ...call, hold };
    const route = await prepareAttempt(dependencies.transcoding, counted, body, answer);
    // Under an id of its own: the attempt that reaches an upstream needs the call's.
    const { reservation: bill } = await reserveAttemptCredits(dependencies, route, answer, true);
    await settleCallReservation({ reservation: bill, used: undefined });
  } finally {
    giveBack();
  }
}
