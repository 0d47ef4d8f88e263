import { invalidRequestError } from "../platform/errors.ts";
import type { ModelCapabilities } from "./capabilities.ts";
import { planConversationCompaction, type ConversationCompactionPlan } from "./compaction.ts";
import type { DialectCodec, EncodedRequest, RequestDecodingContext } from "./codec.ts";
import { dropConversationStateFields } from "./history-fields.ts";
import { asString, type JsonObject } from "./json.ts";
import { ConversionWarningCollector, type ConversionWarning } from "./conversion-warning.ts";
import { placeToolResultsAfterCalls } from "./pair-tool-results.ts";
import type { NeutralRequest } from "./neutral-request.ts";

/** A caller's request in the upstream's dialect. */
export interface TranscodedRequest {
  readonly request: NeutralRequest;
  readonly encoded: EncodedRequest;
  /** What the turn asks to be compacted first; undefined: nothing. */
  readonly compaction: ConversationCompactionPlan | undefined;
  /** What was lost, in the order found; the caller is told. */
  readonly warnings: readonly ConversionWarning[];
}

/** Where a request comes from and where it goes. */
export interface TranscodeRequestInput extends Omit<RequestDecodingContext, "warnings"> {
  readonly from: DialectCodec;
  readonly to: DialectCodec;
  readonly body: JsonObject;
  /** The id that the upstream knows. */
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  /** Every loss is a refusal (`x-svc-strict`). */
  readonly isStrict: boolean;
  /** The conversation is to be compacted, and not gone on with. */
  readonly isCompaction?: boolean;
  /** Counts the texts that an encoder may parse; throws for too many values. */
  readonly countTexts?: ((texts: Iterable<string>) => void) | undefined;
}

/**
 * Writes a caller's request for an upstream of another dialect. Throws 400
 * `invalid_request` with the body path as `param` for what would change the
 * meaning of the answer, and for any loss of a strict call.
 */
export function transcodeRequest(input: TranscodeRequestInput): TranscodedRequest {
  const { from, to, model, capabilities } = input;
  const ledger = new ConversionWarningCollector();
  const asked = placeToolResultsAfterCalls(
    from.decodeRequest(input.body, { ...input, warnings: ledger }),
  );
  const whole = from === to ? asked : dropConversationStateFields(asked, ledger);
  input.countTexts?.(argumentTexts(whole));
  const compaction = planConversationCompaction(whole, input.isCompaction === true);
  const target = { warnings: ledger, model, capabilities };
  const turn = compaction?.request ?? whole;
  const encoded = to.encodeRequest(turn, target);
  // What cannot be carried is refused before anything is summed up.
  const next = compaction?.continueWith("");
  if (next !== undefined) to.encodeRequest(next, target);
  if (input.isStrict) throwOnFirstConversionWarning(ledger);
  return { request: turn, encoded, compaction, warnings: ledger.warnings };
}

/** Texts of arguments, which are JSON in a string of the body. */
function* argumentTexts({ messages }: NeutralRequest): Iterable<string> {
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") yield part.arguments;
      if (part.type === "opaque") yield asString(part.raw["arguments"]) ?? "";
    }
  }
}

/** Throws 400 for the first of the losses, if there is one: the call is strict. */
export function throwOnFirstConversionWarning({
  warnings: losses,
}: ConversionWarningCollector): void {
  const [first] = losses;
  if (first === undefined) return;
  const { path, action, reason } = first;
  throw invalidRequestError(
    path,
    `\`${path}\` would be ${action} for this upstream (${reason}) and the call is strict.`,
  );
}
