import type { ToolKind } from "./turn.ts";

/** What the encoder of a request renamed or wrapped, and the answer must have back. */
export interface Recall {
  /** By the name that the upstream knows; a tool that kept its name and kind is left out. */
  readonly tools: ReadonlyMap<string, RecalledTool>;
  /** Hidden tool whose input is the answer's text (structured output through a tool). */
  readonly jsonTool: string | undefined;
  /** Call ids of the history, which an answer must not use again. */
  readonly callIds: ReadonlySet<string>;
}

export interface RecalledTool {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly kind: ToolKind;
}

/** Nothing was renamed. */
export const nothingToRecall: Recall = {
  tools: new Map(),
  jsonTool: undefined,
  callIds: new Set(),
};
