import type { StoredConversationItems } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { ResponseObjectRecorder } from "../pass-through/store-response.ts";
import type { TranscodeCallInput } from "../transcode/prepare-transcode.ts";

/** A call on the credits route, made so that nothing is left with the vendor. */
export interface VendorStatelessCreditsCall {
  /** The body as its caller sent it. */
  readonly body: JsonObject;
  /** Members that a vendor of the caller's dialect gets in the place of the caller's own. */
  readonly members: JsonObject;
  /** Members that are added for our own sake: an upstream that refuses them is asked again without. */
  readonly options?: JsonObject | undefined;
  /** It asks to be compacted, which is done here: what the vendor would seal, all its callers could open. */
  readonly isCompacted?: boolean;
  /** What the body refers to. */
  readonly storesResponse?: StoredConversationItems | undefined;
  /** Keeps the vendor's answer; undefined: it is not to be kept, or its lane does. */
  readonly storeResponse?: ResponseObjectRecorder | undefined;
}

/** A call whose body is not read yet. */
export type TargetedCall = Omit<TranscodeCallInput, "body">;
