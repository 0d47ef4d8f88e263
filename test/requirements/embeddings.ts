import { tested, type Requirement } from "./requirement.ts";

/** Embeddings. */
export const embeddings: readonly Requirement[] = tested([
  [
    "embeddings.passed",
    "Embeddings are passed byte for byte to <base_url>/embeddings of chat endpoints and vendors.",
    "gateway/route/embeddings > reaches <base_url>/embeddings byte for byte, but for the model's name, and so does its answer",
    "gateway/route/embeddings > a vendor that speaks it among others",
    "gateway/route/embeddings > is found at %s of twenty megabytes, which are passed on as they are",
    "gateway/route/embeddings > gets its vectors: %s",
    "gateway/route/embeddings > a large answer is taken from its vendor no faster than its caller reads",
  ],
  [
    "embeddings.same-rules",
    "They have the keys, limits, routes and aliases of other model calls, and errors in chat form.",
    "gateway/route/refusals > refusals of $name",
    "gateway/route/faults > errors of the upstream of $name",
    "gateway/route/embeddings > is held to allowed_models, and to the bucket of its key",
    "gateway/route/embeddings > fails over before the first byte, and passes over who does not speak chat",
    "gateway/route/embeddings > says which call it was, who answered and what the key has left, and is kept",
    "contract/refusals > of %s %s is %d in the dialect of the path",
  ],
  [
    "embeddings.ledger",
    "They cost their input alone, as it was told or else estimated.",
    "gateway/credits/sold-embeddings > are charged what their vendor told, at the price of input",
    "gateway/credits/sold-embeddings > that nobody counted are charged by an estimate of %s",
    "gateway/credits/sold-embeddings > reserve no output: a wallet that holds the input is enough",
    "gateway/route/embeddings > is the count of tokens",
  ],
  [
    "embeddings.messages-endpoints",
    "On messages endpoints they are 400 with param model.",
    "gateway/route/embeddings > is refused for %s, with param model",
    "gateway/credits/sold-embeddings > of a model whose vendor does not speak chat are refused",
  ],
  [
    "embeddings.mode",
    "A key's mode is ignored, x-svc-mode: agent is 400.",
    "gateway/route/embeddings > does not heed the mode of its key, and refuses what asks for the agent",
  ],
]);
