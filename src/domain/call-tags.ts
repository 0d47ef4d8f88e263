/**
 * What callers and operators sort calls by, a value by name. Any name may be one, `constructor` too: make it
 * of entries, and ask it for none by name.
 */
export type CallTags = Readonly<Record<string, string>>;

/** The tags of a call: those that its caller sent and those of its key, which win. Undefined: none. */
export function mergeCallTagsPreferringKey(
  sent: CallTags | undefined,
  ofKey: CallTags | undefined,
): CallTags | undefined {
  return sent === undefined || ofKey === undefined ? (sent ?? ofKey) : { ...sent, ...ofKey };
}
