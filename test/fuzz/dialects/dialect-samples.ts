/** An event of a stream: its name where the dialect gives one, and its data. */
export interface SampleEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** Honest traffic of one dialect, from which hostile traffic is made. */
export interface DialectSamples {
  /** Below `/v1` at the gateway, below the base address at an upstream. */
  readonly path: string;
  /** Bodies without `model` and `stream`. */
  readonly requests: readonly object[];
  /** Whole answers. */
  readonly answers: readonly object[];
  readonly streams: readonly (readonly SampleEvent[])[];
}
