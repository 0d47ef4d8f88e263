import type { ClientToolKind } from "./neutral-request.ts";

/** What the encoder of a request renamed, wrapped or kept back, and the answer must make good. */
export interface ToolNameRestoreInfo {
  /** By the name that the upstream knows; a tool that kept its name and kind is left out. */
  readonly tools: ReadonlyMap<string, OriginalTool>;
  /** Hidden tool whose input is the answer's text (structured output through a tool). */
  readonly jsonTool: string | undefined;
  /** Call ids of the history, which an answer must not use again. */
  readonly callIds: ReadonlySet<string>;
  /** Stop sequences for which the upstream has no word: the answer is to end before them. */
  readonly stop: readonly string[];
}

export interface OriginalTool {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly kind: ClientToolKind;
}

/** Nothing was renamed. */
export const emptyToolNameRestoreInfo: ToolNameRestoreInfo = {
  tools: new Map(),
  jsonTool: undefined,
  callIds: new Set(),
  stop: [],
};
