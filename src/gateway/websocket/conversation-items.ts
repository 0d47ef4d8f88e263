import { maxJsonValues } from "../../dialect/value-limit.ts";
import { countJsonValues } from "../../platform/json-splice/count-values.ts";

/** JSON items of a conversation. They are joined only when they are sent. */
export interface SerializedConversationItems {
  /** Each has one item or more, with commas between them. */
  readonly parts: readonly Buffer[];
  /** Memory that they take. */
  readonly bytes: number;
  /** JSON values of all parts, at least. Beyond 400,000 they are not counted on. */
  readonly values: number;
}

export const emptySerializedConversation: SerializedConversationItems = {
  parts: [],
  bytes: 0,
  values: 0,
};

/** Memory of a part in addition to its bytes: a `Buffer`, its `ArrayBuffer` and an entry of the list. */
const partBytes = 256;

/**
 * Returns a conversation with more items behind it: JSON with commas between them. `more` has
 * memory of its own: a view would retain more than is counted.
 */
export function appendSerializedConversationItems(
  items: SerializedConversationItems,
  more: Buffer,
): SerializedConversationItems {
  if (more.length === 0) return items;
  const { parts, bytes, values } = items;
  return {
    parts: [...parts, more],
    bytes: bytes + more.length + partBytes,
    values: values + countJsonValues(more, Math.max(0, maxJsonValues - values)),
  };
}

/** Whether a conversation has more JSON values than a body may have. */
export function hasTooManyConversationJsonValues({ values }: SerializedConversationItems): boolean {
  return values > maxJsonValues;
}

/** Returns the parts with commas between them. */
export function joinSerializedConversationItems({ parts }: SerializedConversationItems): Buffer[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));
}

const comma = Buffer.from(",");
