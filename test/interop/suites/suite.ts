import type { Dialect, Lane } from "../strict-environment.ts";
import type { Workspace } from "../workspace.ts";

/** A published suite. */
export interface PublicSuite {
  readonly name: string;
  /** Installs it. Rejects with what stood in the way, or with what to set. */
  readonly prepare: (workshop: Workspace) => Promise<PreparedPublicSuite>;
}

/** A suite that can be run. */
export interface PreparedPublicSuite {
  readonly version: string;
  /** Judges the gateway with the model of one kind of upstream. */
  readonly run: (target: Target) => Promise<readonly SuiteResult[]>;
}

/** What is judged. */
export interface Target {
  readonly url: string;
  readonly lane: Lane;
  /** For what the suite writes. */
  readonly home: string;
}

/** A suite's word on one case. */
export interface SuiteResult {
  /** The dialect that it was asked in. */
  readonly surface: Dialect | "other";
  readonly name: string;
  readonly outcome: "held" | "failed" | "skipped";
  /** The suite's own words. */
  readonly reason: string;
}

/** The dialect by a word of a case's name. */
export function surfaceOf(name: string): Dialect | "other" {
  if (/^(?:chat|openai-chat)\b/.test(name)) return "chat";
  if (/^responses\b/.test(name)) return "responses";
  return /^(?:messages|anth|anthropic|count-tokens)\b/.test(name) ? "messages" : "other";
}
