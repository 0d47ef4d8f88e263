import type { Registry } from "prom-client";
import { type GenAiOperationRecord, otherErrorType } from "./model-operation.ts";
import {
  type GenAiAttribute,
  type GenAiMetric,
  genAiMetrics,
  toPrometheusLabel,
} from "./gen-ai-conventions.ts";
import { type HistogramSeries, TallyHistogram } from "../speed/tally-histogram.ts";

/** Counts operations of models. */
export interface ModelOperationMetrics {
  ended(operation: GenAiOperationRecord): void;
}

/** Models of one provider that are counted by their names. */
const maxModels = 100;
/** Kinds of error of one model. */
const maxErrors = 20;
const maxNameLength = 128;

type Labels = Readonly<Record<string, string>>;

/**
 * The metrics of the GenAI semantic conventions. Who calls can name any model, so a
 * model counts by its name when its upstream has answered for it, and no more of them
 * than there is room for; all others of the provider count without.
 */
export function createModelOperationMetrics(registry: Registry): ModelOperationMetrics {
  const histograms: Histograms = {
    duration: histogram(registry, genAiMetrics.duration),
    firstChunk: histogram(registry, genAiMetrics.firstChunk),
    tokens: histogram(registry, genAiMetrics.tokens),
  };
  const byName = new Map<string, Map<string, ProviderOperations>>();
  const bind = (operation: GenAiOperationRecord): ProviderOperations => {
    const { name, provider } = operation;
    const bound = new ProviderOperations(histograms, operation);
    const byProvider = byName.get(name) ?? new Map<string, ProviderOperations>();
    byName.set(name, byProvider.set(provider, bound));
    return bound;
  };
  return {
    ended(operation) {
      const known = byName.get(operation.name)?.get(operation.provider) ?? bind(operation);
      known.seriesOf(operation).count(operation);
    },
  };
}

type Histograms = Readonly<Record<keyof typeof genAiMetrics, TallyHistogram>>;

function histogram(registry: Registry, convention: GenAiMetric): TallyHistogram {
  const { prometheusName: printedName, help, attributes, buckets } = convention;
  const labelNames = attributes.map(toPrometheusLabel);
  return new TallyHistogram(registry, { name: printedName, help, labelNames, buckets });
}

/** What one provider was asked. */
class ProviderOperations {
  readonly #histograms: Histograms;
  readonly #labels: Labels;
  /** By the model that was asked for, then by the one that answered; both undefined: any other. */
  readonly #models = new Map<string | undefined, Map<string | undefined, ModelSeries>>();
  #size = 0;

  constructor(histograms: Histograms, { name, provider }: GenAiOperationRecord) {
    this.#histograms = histograms;
    this.#labels = labelsOf({ "gen_ai.operation.name": name, "gen_ai.provider.name": provider });
  }

  seriesOf(operation: GenAiOperationRecord): ModelSeries {
    const { requestModel, responseModel } = operation;
    const known = this.#models.get(requestModel)?.get(responseModel);
    if (known !== undefined) return known;
    return this.#canName(operation)
      ? this.#bind(requestModel, responseModel)
      : (this.#models.get(undefined)?.get(undefined) ?? this.#bind(undefined, undefined));
  }

  #canName({ requestModel, status, errorType }: GenAiOperationRecord): boolean {
    if (this.#size >= maxModels || requestModel.length > maxNameLength) return false;
    const wasAnswered = status !== undefined && errorType === undefined;
    return wasAnswered || this.#models.has(requestModel);
  }

  #bind(requestModel: string | undefined, responseModel: string | undefined): ModelSeries {
    const named = {
      "gen_ai.request.model": requestModel,
      "gen_ai.response.model": responseModel,
    };
    const series = new ModelSeries(this.#histograms, { ...this.#labels, ...labelsOf(named) });
    const answerers = this.#models.get(requestModel) ?? new Map<string | undefined, ModelSeries>();
    this.#models.set(requestModel, answerers.set(responseModel, series));
    this.#size += 1;
    return series;
  }
}

function labelsOf(
  attributes: Readonly<Partial<Record<GenAiAttribute, string | undefined>>>,
): Labels {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([attribute, value]) =>
      value === undefined ? [] : [[toPrometheusLabel(attribute as GenAiAttribute), value]],
    ),
  );
}

/** What one model was asked, by its errors. */
class ModelSeries {
  readonly #histograms: Histograms;
  readonly #labels: Labels;
  /** Undefined: it went well. */
  readonly #durations = new Map<string | undefined, HistogramSeries>();
  #firstChunk: HistogramSeries | undefined;
  #input: HistogramSeries | undefined;
  #output: HistogramSeries | undefined;

  constructor(histograms: Histograms, labels: Labels) {
    this.#histograms = histograms;
    this.#labels = labels;
  }

  count({
    isStream,
    startedAt,
    firstChunkAt,
    endedAt,
    errorType,
    tokens,
  }: GenAiOperationRecord): void {
    this.#durationOf(errorType).observe((endedAt - startedAt) / 1000);
    if (isStream && firstChunkAt !== undefined && errorType === undefined) {
      this.#firstChunk ??= this.#histograms.firstChunk.tally(this.#labels);
      this.#firstChunk.observe((firstChunkAt - startedAt) / 1000);
    }
    if (tokens === undefined) return;
    this.#input ??= this.#tokensOf("input");
    this.#input.observe(tokens.input);
    this.#output ??= this.#tokensOf("output");
    this.#output.observe(tokens.output);
  }

  #durationOf(errorType: string | undefined): HistogramSeries {
    const known = this.#durations.get(errorType);
    if (known !== undefined) return known;
    const isFull = this.#durations.size >= maxErrors && errorType !== otherErrorType;
    if (isFull && errorType !== undefined) return this.#durationOf(otherErrorType);
    const labels = { ...this.#labels, ...labelsOf({ "error.type": errorType }) };
    const duration = this.#histograms.duration.tally(labels);
    this.#durations.set(errorType, duration);
    return duration;
  }

  #tokensOf(type: "input" | "output"): HistogramSeries {
    return this.#histograms.tokens.tally({
      ...this.#labels,
      ...labelsOf({ "gen_ai.token.type": type }),
    });
  }
}
