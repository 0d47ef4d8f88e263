import { invalidRequest } from "../platform/errors.ts";
import type { Capabilities } from "./capabilities.ts";
import { compactionOf, type Compaction } from "./compaction.ts";
import type { Codec, EncodedRequest, DecodeContext } from "./codec.ts";
import { withWholeHistory } from "./history-fields.ts";
import type { JsonObject } from "./json.ts";
import { LossLedger, type Loss } from "./loss.ts";
import { pairToolResults } from "./pair-tool-results.ts";
import type { Turn } from "./turn.ts";

/** A caller's request in the upstream's dialect. */
export interface TranscodedRequest {
  readonly turn: Turn;
  readonly encoded: EncodedRequest;
  /** What the turn asks to be compacted first; undefined: nothing. */
  readonly compaction: Compaction | undefined;
  /** What was lost, in the order found; the caller is told. */
  readonly losses: readonly Loss[];
}

/** Where a request comes from and where it goes. */
export interface TranscodeInput extends Omit<DecodeContext, "ledger"> {
  readonly from: Codec;
  readonly to: Codec;
  readonly body: JsonObject;
  /** The id that the upstream knows. */
  readonly model: string;
  readonly capabilities: Capabilities;
  /** Every loss is a refusal (`x-svc-strict`). */
  readonly isStrict: boolean;
  /** The conversation is to be compacted, and not gone on with. */
  readonly isCompaction?: boolean;
}

/**
 * Writes a caller's request for an upstream of another dialect. Throws 400
 * `invalid_request` with the body path as `param` for what would change the
 * meaning of the answer, and for any loss of a strict call.
 */
export function transcodeRequest(input: TranscodeInput): TranscodedRequest {
  const { from, to, model, capabilities } = input;
  const ledger = new LossLedger();
  const asked = pairToolResults(from.decodeRequest(input.body, { ...input, ledger }));
  const whole = from === to ? asked : withWholeHistory(asked, ledger);
  const compaction = compactionOf(whole, input.isCompaction === true);
  const target = { ledger, model, capabilities };
  const turn = compaction?.asking ?? whole;
  const encoded = to.encodeRequest(turn, target);
  // What cannot be carried is refused before anything is summed up.
  const next = compaction?.goOn("");
  if (next !== undefined) to.encodeRequest(next, target);
  if (input.isStrict) refuseLosses(ledger);
  return { turn, encoded, compaction, losses: ledger.losses };
}

/** Throws 400 for the first of the losses, if there is one: the call is strict. */
export function refuseLosses({ losses }: LossLedger): void {
  const [first] = losses;
  if (first === undefined) return;
  const { path, action, reason } = first;
  throw invalidRequest(
    path,
    `\`${path}\` would be ${action} for this upstream (${reason}) and the call is strict.`,
  );
}
