import type { AgentSpending } from "../agent/run/agent-progress.ts";
import type { CallIntent } from "../kernel/durable-turn.ts";

/** What is noted of the steps of a turn: that something begins, or has ended, and what an agent works with. */
export type StepNote = ModelCallNote | ToolCallNote | EndedNote | OutfitNote;

/** A model call that is about to be made; `step`: of an agent's turn. */
type ModelCallNote = CallIntent & { readonly step?: number };

/** A call of a tool that is about to be made, by its name. */
interface ToolCallNote {
  readonly tool: string;
}

/** What an agent works with, sealed, and when its turn began. */
export interface OutfitNote {
  readonly outfit: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The end of a call, of a model or a tool, by its id or name. */
export interface EndedNote {
  readonly ended: string;
  /** Of a model call of an agent. */
  readonly spending?: AgentSpending;
  /** Its process died. */
  readonly isLost?: true;
  /** Set: it is what the model said in this step. */
  readonly step?: number;
  /** What the model said, or the tool answered. */
  readonly sealed?: string;
}
