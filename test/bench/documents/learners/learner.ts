import type { JsonObject } from "@bufbuild/protobuf";

/** Something that makes an OpenAPI document of a capture. */
export interface Learner {
  readonly name: string;
  /** The document of one HAR object; each capture is learned on its own. */
  learn(har: JsonObject): Promise<JsonObject>;
}
