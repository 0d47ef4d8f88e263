import {
  unknownModelCapabilities,
  type ModelCapabilities,
} from "../../src/dialect/capabilities.ts";
import { getDialectCodec } from "../../src/dialect/codecs.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import { transcodeRequest } from "../../src/dialect/transcode-request.ts";
import type { DialectId } from "../../src/platform/configuration/configuration.ts";
import { envelopeOf } from "./codec-contexts.ts";

export interface TranscodingOptions {
  readonly from: DialectId;
  readonly to: DialectId;
  readonly capabilities?: Partial<ModelCapabilities>;
  /** The id that the upstream knows. */
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a caller's body becomes for an upstream, and the warnings as `path action reason`. */
export function transcode(body: JsonObject, options: TranscodingOptions) {
  const { from, to, capabilities, model = "up-model", headers = {} } = options;
  const {
    encoded,
    warnings: losses,
    request: turn,
  } = transcodeRequest({
    from: getDialectCodec(from),
    to: getDialectCodec(to),
    body,
    model,
    headers,
    capabilities: { ...unknownModelCapabilities, ...capabilities },
    envelope: envelopeOf(),
    isStrict: false,
  });
  const warnings = losses.map(({ path, action, reason }) => `${path} ${action} ${reason}`);
  return { ...encoded, turn, warnings };
}

/** The `param` of the refusal that a call ends in. */
export function refusedParam(call: () => unknown): string | null | undefined {
  try {
    call();
  } catch (error) {
    return (error as { param?: string | null }).param;
  }
  return undefined;
}
