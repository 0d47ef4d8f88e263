import { Counter, type Registry } from "prom-client";

/** One series of a counter: a plain number that is raised in place. */
export interface CounterTally {
  value: number;
}

/**
 * A counter whose series are plain numbers, read when the metrics are scraped.
 * prom-client checks and hashes the labels at every increment, also of a bound
 * child, which costs a microsecond of a budget of forty (performance reference).
 */
export interface TallyCounter {
  /** Binds one series for good: call it at start, never with what a caller sent. */
  tally(labels: Readonly<Record<string, string>>): CounterTally;
}

/** Registers a counter. */
export function tallyCounter(
  registry: Registry,
  options: { name: string; help: string; labelNames: readonly string[] },
): TallyCounter {
  const series: { labels: Readonly<Record<string, string>>; tally: CounterTally }[] = [];
  void new Counter({
    ...options,
    labelNames: [...options.labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, tally } of series) if (tally.value > 0) this.inc(labels, tally.value);
    },
  });
  return {
    tally(labels) {
      const tally = { value: 0 };
      series.push({ labels, tally });
      return tally;
    },
  };
}
