/** What a call has used, as the ledger knows it. */
export interface LedgerCallUsage {
  /** In decimal digits here and below; caches included. */
  readonly input: string;
  readonly cached: string;
  readonly output: string;
  /** Nano-dollars. */
  readonly cost: string;
  readonly estimated: boolean;
}
