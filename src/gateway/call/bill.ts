import type { Reservation } from "../../kernel/reservation.ts";

/** Money held for a call that runs. */
export interface Bill {
  readonly reservation: Reservation;
  /** Tells now and then what the call has used. */
  readonly checkpoints: NodeJS.Timeout;
  /** Estimate of the prompt. */
  readonly promptTokens: number;
}
