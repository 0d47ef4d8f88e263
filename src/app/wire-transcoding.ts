import { signedEnvelope } from "../dialect/signed-envelope.ts";
import { ThoughtMemory } from "../gateway/transcode/thought-memory.ts";
import type { TranscodeDependencies } from "../gateway/transcode/prepare-transcode.ts";
import type { Clock } from "../platform/clock.ts";
import type { AccountWiring } from "./wire-accounts.ts";

/** What calls and their previews share, so that both see the same. */
export type TranscodingWiring = Pick<TranscodeDependencies, "envelopeOf" | "thoughts">;

export function wireTranscoding({ hasher }: AccountWiring, clock: Clock): TranscodingWiring {
  const key = hasher.keyFor("reasoning envelopes");
  return {
    envelopeOf: (upstream, model) => signedEnvelope({ key, upstream, model }),
    thoughts: new ThoughtMemory(clock),
  };
}
