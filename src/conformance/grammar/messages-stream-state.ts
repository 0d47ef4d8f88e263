/** What a messages stream has told so far. */
export interface MessagesStreamCheckState {
  phase: "before" | "open" | "ending" | "over";
  /** Position of the next block. */
  nextIndex: number;
  open: ContentBlockCheckState | undefined;
  /** Calls whose input is no JSON: right only if a cap cut them short. */
  readonly brokenCalls: number[];
  readonly error: (rule: string, message: string) => void;
  event: number;
}

/** The content block that has started and not stopped. */
export interface ContentBlockCheckState {
  readonly index: number;
  readonly type: string;
  json: string;
  isSigned: boolean;
}
