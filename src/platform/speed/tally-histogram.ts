import {
  Histogram,
  type MetricObjectWithValues,
  type MetricValueWithName,
  type Registry,
} from "prom-client";

type Labels = Readonly<Record<string, string>>;
type Values = MetricObjectWithValues<MetricValueWithName<string>>;

/** One series of a histogram: plain numbers that are raised in place. */
export class HistogramSeries {
  readonly #upperBounds: readonly number[];
  /** Observations by bucket, not cumulated; the last one is above every bound. */
  readonly counts: number[];
  sum = 0;

  constructor(upperBounds: readonly number[]) {
    this.#upperBounds = upperBounds;
    this.counts = Array.from({ length: upperBounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (value > (this.#upperBounds[bucket] ?? Infinity)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

export interface TallyHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds of the buckets, ascending. */
  readonly buckets: readonly number[];
}

/**
 * A histogram whose series are plain numbers, read when the metrics are scraped. To the
 * registry it is a histogram of prom-client like any other. Speed: docs/performance.md,
 * `tally-histogram`.
 */
export class TallyHistogram extends Histogram {
  readonly #options: TallyHistogramOptions;
  readonly #series: { labels: Labels; tally: HistogramSeries }[] = [];
  /** Tells what a histogram of this name looks like without values; never registered. */
  readonly #blank: Histogram;

  constructor(registry: Registry, options: TallyHistogramOptions) {
    const mutable = {
      ...options,
      labelNames: [...options.labelNames],
      buckets: [...options.buckets],
    };
    super({ ...mutable, registers: [registry] });
    this.#blank = new Histogram({ ...mutable, registers: [] });
    this.#options = options;
  }

  /** Binds one series for good: call it once for its labels, never with all that callers send. */
  tally(labels: Labels): HistogramSeries {
    const tally = new HistogramSeries(this.#options.buckets);
    this.#series.push({ labels, tally });
    return tally;
  }

  override async get(): Promise<Values> {
    const values = this.#series.flatMap(({ labels, tally }) => this.#print(labels, tally));
    return { ...(await this.#blank.get()), values };
  }

  /** The registry prefers this over `get` when it prints text. */
  getForPromString(): Promise<Values> {
    return this.get();
  }

  #print(labels: Labels, { counts, sum }: HistogramSeries): MetricValueWithName<string>[] {
    const { name, buckets } = this.#options;
    let count = 0;
    const cumulated = counts.map((observations, index) => {
      count += observations;
      const le = buckets[index] ?? "+Inf";
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...cumulated,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
