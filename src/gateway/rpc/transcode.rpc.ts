import { create, type JsonObject as StructBody } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { DialectSchema } from "../../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import {
  CallerStyleSchema,
  LossActionSchema as WarningActionSchema,
  TranscodePreviewSchema,
  type PreviewTranscodeRequest,
  type TranscodeService,
} from "../../../gen/ts/causeway/transcode/v1/transcode_pb.ts";
import { enumNameToNumber, enumNumberToName } from "../../contract/enum-name.ts";
import { getDialectCodec } from "../../dialect/codecs.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { ConversionWarning } from "../../dialect/conversion-warning.ts";
import { transcodeRequest, type TranscodedRequest } from "../../dialect/transcode-request.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { noopMemoryReserver } from "../../platform/hold-memory.ts";
import { reserveEmbeddedJsonMemory } from "../call/parse-call-body.ts";
import { openSealedSummariesInInput } from "../stored-responses/open-summaries.ts";
import { authenticateRpcCallerKey } from "./caller-key-of-context.ts";
import type { CallerKeyAuthenticator } from "../ports.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { CallDialect } from "../../domain/call-log-entry.ts";
import {
  findTranscodePreviewUpstream,
  type TranscodePreviewDependencies,
  type TranscodePreviewUpstream,
} from "./preview-target.ts";

/** What a call sends, and what it warns of. */
interface Preview {
  readonly body: JsonObject;
  readonly warnings: readonly ConversionWarning[];
}

/** What previews are made from. */
export interface TranscodeRpcDependencies extends TranscodePreviewDependencies {
  readonly authenticator: CallerKeyAuthenticator;
}

/** What a call would send, without calling. */
export function createTranscodePreviewRpc(
  dependencies: TranscodeRpcDependencies,
): ServiceImpl<typeof TranscodeService> {
  return {
    async previewTranscode(request, context) {
      const key = await authenticateRpcCallerKey(dependencies.authenticator, context);
      const { body, warnings: losses } = await preview(dependencies, key, request);
      const warnings = losses.map(viewLoss);
      return create(TranscodePreviewSchema, { body: body as StructBody, warnings });
    },
  };
}

/** The path of a refusal is the one that a call would name. */
async function preview(
  dependencies: TranscodePreviewDependencies,
  key: CallerKey,
  { from, to, body = {} }: PreviewTranscodeRequest,
): Promise<Preview> {
  const style = enumNumberToName(CallerStyleSchema, from) as CallDialect | undefined;
  const upstream = enumNumberToName(DialectSchema, to) as DialectId | undefined;
  if (style === undefined) throw invalidRequestError("from", "`from` is missing.");
  if (upstream === undefined) throw invalidRequestError("to", "`to` is missing.");
  const caller: DialectId = `dialect_${style}`;
  const opened = caller === "dialect_responses" ? openedBody(dependencies, key, body) : body;
  if (caller === upstream) return pass(opened);
  const model = typeof body["model"] === "string" ? body["model"] : "";
  const target = await findTranscodePreviewUpstream(dependencies, key, {
    from: caller,
    to: upstream,
    model,
  });
  const { encoded, warnings: losses } = transcode(caller, upstream, opened, target);
  return { body: encoded.body, warnings: losses };
}

/** As a call would open what it carries. */
function openedBody(
  { summaries }: TranscodePreviewDependencies,
  key: CallerKey,
  body: JsonObject,
): JsonObject {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  return { ...body, input: openSealedSummariesInInput(summaries, key.principal.accountId, input) };
}

/** A call between the same dialects is passed on: nothing of it is read but the model. */
function pass(body: JsonObject): Preview {
  if (body["model"] === undefined) throw invalidRequestError("model", "`model` is missing.");
  if (typeof body["model"] !== "string") {
    throw invalidRequestError("model", "`model` must be a string.");
  }
  return { body, warnings: [] };
}

function transcode(
  caller: DialectId,
  upstream: DialectId,
  body: JsonObject,
  target: TranscodePreviewUpstream,
): TranscodedRequest {
  return transcodeRequest({
    ...target,
    from: getDialectCodec(caller),
    to: getDialectCodec(upstream),
    body,
    headers: {},
    isStrict: false,
    countTexts: (texts) => reserveEmbeddedJsonMemory(texts, noopMemoryReserver),
  });
}

function viewLoss({ path, action, reason }: ConversionWarning) {
  return { path, action: enumNameToNumber(WarningActionSchema, action), reason };
}
