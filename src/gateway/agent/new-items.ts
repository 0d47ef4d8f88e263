/** What an item or message of a conversation is to the call that brings it. */
export type ConversationItemOrigin =
  /** A message of a person. */
  | "user"
  /** The result of a call, or the answer to a request for an approval. */
  | "result"
  /** System text in the middle. */
  | "system"
  /** What a model said, or did. */
  | "model";

/**
 * Of the parts of a conversation those that a call adds to a thread which has the rest
 * already: the last message of a person, and what stands behind the model's last word and is
 * a result or system text. Empty: nobody has said anything since the model has.
 */
export function selectNewConversationItemIndexes(
  kinds: readonly ConversationItemOrigin[],
): ReadonlySet<number> {
  const start = kinds.lastIndexOf("model") + 1;
  const lastUser = kinds.lastIndexOf("user");
  const places = kinds.flatMap((kind, place) => {
    if (place < start) return [];
    return kind === "result" || kind === "system" || place === lastUser ? [place] : [];
  });
  const isSaid = places.some((place) => kinds[place] !== "system");
  return new Set(isSaid ? places : []);
}
