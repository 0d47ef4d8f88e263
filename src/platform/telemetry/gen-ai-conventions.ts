/** Attributes that all three metrics have; those of models only where they are counted by name. */
const commonAttributes = [
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
] as const;

/** An attribute of the GenAI semantic conventions of OpenTelemetry that metrics have. */
export type GenAiAttribute = (typeof commonAttributes)[number] | "gen_ai.token.type" | "error.type";

/** A metric of the conventions, under their name and under that of Prometheus. */
export interface GenAiMetric {
  readonly name: string;
  readonly unit: string;
  readonly prometheusName: string;
  readonly help: string;
  readonly attributes: readonly GenAiAttribute[];
  readonly buckets: readonly number[];
}

const seconds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** Names, units and buckets are those of the GenAI semantic conventions of OpenTelemetry. */
export const genAiMetrics = {
  duration: {
    name: "gen_ai.client.operation.duration",
    unit: "s",
    prometheusName: "gen_ai_client_operation_duration_seconds",
    help: "Operations of models, from the first dial to the end of the upstream's answer.",
    attributes: [...commonAttributes, "error.type"],
    buckets: seconds,
  },
  firstChunk: {
    name: "gen_ai.client.operation.time_to_first_chunk",
    unit: "s",
    prometheusName: "gen_ai_client_operation_time_to_first_chunk_seconds",
    help: "Streamed operations of models, from the first dial to the first byte of the answer's body.",
    attributes: commonAttributes,
    buckets: seconds,
  },
  tokens: {
    name: "gen_ai.client.token.usage",
    unit: "{token}",
    prometheusName: "gen_ai_client_token_usage",
    help: "Tokens of operations of models, as their upstreams told them.",
    attributes: [...commonAttributes, "gen_ai.token.type"],
    buckets: Array.from({ length: 14 }, (_, power) => 4 ** power),
  },
} as const satisfies Readonly<Record<string, GenAiMetric>>;

/** The metrics of the conventions by their names in Prometheus' text. */
export const genAiMetricByName: ReadonlyMap<string, Pick<GenAiMetric, "name" | "unit">> = new Map(
  Object.values(genAiMetrics).map((convention) => [convention.prometheusName, convention]),
);

/** The attributes of the conventions by their names as labels in Prometheus' text. */
export const genAiAttributeByLabel: ReadonlyMap<string, string> = new Map(
  Object.values(genAiMetrics)
    .flatMap(({ attributes }) => [...attributes])
    .map((attribute) => [toPrometheusLabel(attribute), attribute]),
);

/** The name of an attribute as a label in Prometheus' text. */
export function toPrometheusLabel(attribute: GenAiAttribute): string {
  return attribute.replaceAll(".", "_");
}
