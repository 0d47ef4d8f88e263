/** Why a target of aliases rests: its vendor said to wait, refused what it is paid or known by, or failed several times. */
export type CooldownReason = "rate_limited" | "refused" | "failing";

/** A rest that is not over. Times in milliseconds since the epoch. */
export interface TargetCooldown {
  readonly since: number;
  readonly until: number;
  readonly reason: CooldownReason;
}
