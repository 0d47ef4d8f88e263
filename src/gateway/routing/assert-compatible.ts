import type { CreditsCatalogModel } from "../../domain/credits-model.ts";
import { invalidRequestError } from "../../platform/errors.ts";

/** What of a plan says what its target can be called for. */
interface Offer {
  readonly lane: "pass-through" | "transcode";
  readonly canonicalId: string;
  /** Undefined: it is not paid from the wallet. */
  readonly sold?: CreditsCatalogModel;
}

/** It has a price for its input alone: nobody talks to it. */
export function isEmbeddingModel(sold: CreditsCatalogModel | undefined): boolean {
  return sold !== undefined && sold.price.outputUsdPerMtok === undefined;
}

/**
 * Throws 400 for embeddings of a model that is not reached over chat completions, and for
 * a conversation that would be paid at a price that there is not.
 */
export function assertModelSupportsOperation(
  isConversation: boolean,
  { lane, canonicalId, sold }: Offer,
): void {
  if (isConversation && isEmbeddingModel(sold)) {
    throw invalidRequestError(
      "model",
      `\`${canonicalId}\` is sold for embeddings only: use it with POST /v1/embeddings, or call another model.`,
    );
  }
  if (!isConversation && lane === "transcode") {
    throw invalidRequestError(
      "model",
      `\`${canonicalId}\` is not reached over chat completions, and embeddings are never transcoded: name a model of an endpoint or a vendor that speaks \`dialect_chat\`.`,
    );
  }
}
