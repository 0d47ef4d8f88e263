import { createReasoningEnvelopeSealer } from "../../dialect/signed-envelope.ts";
import { StoredResponseStore } from "../../gateway/stored-responses/stored-response-store.ts";
import { SummarySealer } from "../../gateway/stored-responses/summary-seal.ts";
import { ReasoningCache } from "../../gateway/transcode/reasoning-cache.ts";
import type { TranscodeDependencies } from "../../gateway/transcode/prepare-transcode.ts";
import type { SharedResources } from "../foundation.ts";
import type { AccountModule } from "./wire-accounts.ts";
import type { TurnModule } from "./wire-turns.ts";

/** What calls share with their previews, so that both see the same, and with those who ask for answers again. */
export interface TranscodingModule extends Pick<
  TranscodeDependencies,
  "envelopeOf" | "summaries" | "reasoningCache"
> {
  readonly storedResponses: StoredResponseStore;
}

export function createTranscodingModule(
  { configuration, storage, clock }: SharedResources,
  { hasher }: AccountModule,
  { isRunning }: Pick<TurnModule, "isRunning">,
): TranscodingModule {
  const key = hasher.keyFor("reasoning envelopes");
  return {
    envelopeOf: (upstream, model) => createReasoningEnvelopeSealer({ key, upstream, model }),
    summaries: new SummarySealer(hasher.keyFor("summaries of conversations")),
    reasoningCache: new ReasoningCache(clock),
    storedResponses: new StoredResponseStore({
      fork: () => storage.database.fork(),
      box: storage.box,
      clock,
      days: configuration.retention.responsesDays,
      isRunning,
    }),
  };
}
