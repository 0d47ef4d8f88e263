import { signedEnvelope } from "../../dialect/signed-envelope.ts";
import { KeptResponseStore } from "../../gateway/response/kept-response-store.ts";
import { SummarySeal } from "../../gateway/response/summary-seal.ts";
import { ThoughtMemory } from "../../gateway/transcode/thought-memory.ts";
import type { TranscodeDependencies } from "../../gateway/transcode/prepare-transcode.ts";
import type { Foundation } from "../foundation.ts";
import type { AccountWiring } from "./wire-accounts.ts";

/** What calls share with their previews, so that both see the same, and with those who ask for answers again. */
export interface TranscodingWiring extends Pick<
  TranscodeDependencies,
  "envelopeOf" | "summaries" | "thoughts"
> {
  readonly turns: KeptResponseStore;
}

export function wireTranscoding(
  { configuration, storage, clock }: Foundation,
  { hasher }: AccountWiring,
): TranscodingWiring {
  const key = hasher.keyFor("reasoning envelopes");
  return {
    envelopeOf: (upstream, model) => signedEnvelope({ key, upstream, model }),
    summaries: new SummarySeal(hasher.keyFor("summaries of conversations")),
    thoughts: new ThoughtMemory(clock),
    turns: new KeptResponseStore({
      fork: () => storage.database.fork(),
      box: storage.box,
      clock,
      days: configuration.retention.responsesDays,
    }),
  };
}
