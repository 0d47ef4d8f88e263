import type { CreditsReservation, CreditsReservationRequest } from "../../domain/reservation.ts";

/** Money held for a call that runs. */
export interface CallReservation {
  readonly reservation: CreditsReservation;
  /** What was reserved, and at which price. */
  readonly request: Pick<CreditsReservationRequest, "id" | "price">;
  /** Tells now and then what the call has used. */
  readonly checkpoints: NodeJS.Timeout;
  /** Estimate of the prompt. */
  readonly promptTokens: number;
}
