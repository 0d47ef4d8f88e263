import { getDialectCodec } from "../../../src/dialect/codecs.ts";
import type { ModelCapabilities } from "../../../src/dialect/capabilities.ts";
import { unknownModelCapabilities } from "../../../src/dialect/capabilities.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type { ConversionWarning } from "../../../src/dialect/conversion-warning.ts";
import {
  transcodeRequest,
  type TranscodedRequest,
} from "../../../src/dialect/transcode-request.ts";
import type { DialectId } from "../../../src/platform/configuration/configuration.ts";
import { openEnvelope } from "./response-context.ts";

export interface TranscodeOptions {
  readonly capabilities?: Partial<ModelCapabilities>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body of one dialect, written for an upstream of another. */
export function transcode(
  from: DialectId,
  to: DialectId,
  body: JsonObject,
  { capabilities = {}, headers = {} }: TranscodeOptions = {},
): TranscodedRequest {
  return transcodeRequest({
    from: getDialectCodec(from),
    to: getDialectCodec(to),
    body,
    model: "up-model",
    capabilities: { ...unknownModelCapabilities, ...capabilities },
    isStrict: false,
    envelope: openEnvelope,
    headers,
  });
}

export interface Written {
  readonly body: JsonObject;
  readonly warnings: readonly ConversionWarning[];
}

/** The same for a responses upstream: the body that it gets, and what was lost. */
export function toResponses(
  from: DialectId,
  body: JsonObject,
  options?: TranscodeOptions,
): Written {
  const { encoded, warnings } = transcode(from, "dialect_responses", body, options);
  return { body: encoded.body, warnings };
}
