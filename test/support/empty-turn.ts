import type {
  ToolCallPart,
  ToolResultPart,
  NeutralRequest,
} from "../../src/dialect/neutral-request.ts";
import { plainTurn } from "../dialect/arbitrary-request.ts";

/** A chat turn that says nothing. */
export const emptyTurn: NeutralRequest = { ...plainTurn, wantsStreamUsage: false, messages: [] };

export function callPart(id: string): ToolCallPart {
  return {
    type: "tool-call",
    path: `call(${id})`,
    kind: "function",
    id,
    name: "f",
    arguments: "{}",
  };
}

export function resultPart(callId: string, text = "ok"): ToolResultPart {
  const path = `result(${callId})`;
  const content = [{ type: "text", path, text }] as const;
  return { type: "tool-result", path, kind: "function", callId, isError: false, content };
}
