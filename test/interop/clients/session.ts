import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StrictExchange } from "../../support/strict-upstream/strict-upstream.ts";
import type { Dialect, Lane } from "../strict-environment.ts";

/** A conversation of a client with the gateway, in a folder of its own. */
export interface Session {
  /** Stands in its prompts, by which the upstream's calls are told apart. */
  readonly id: string;
  /** What the client speaks. */
  readonly dialect: Dialect;
  readonly lane: Lane;
  /** `http://127.0.0.1:<port>` of the gateway. */
  readonly url: string;
  readonly home: string;
  /** Where the client works. */
  readonly directory: string;
}

/** How the tools of a client are called, as lines of the upstream's script. */
export interface ToolCalls {
  /** Makes `note.txt` with the line `one`. */
  readonly write: string;
  /** Makes it `two`. */
  readonly edit: string;
  /** Prints the file and its lines. */
  readonly count: string;
}

export const noteName = "note.txt";

/** The command that prints the note. */
export const countCommand = `cat ${noteName} && wc -l ${noteName}`;

/** Words that end the two parts of a session. */
export const firstWords = "The note is counted.";
export const lastWords = "Taken up again.";

/** The whole session: four turns, and two more when it is taken up again. */
export function promptsOf(session: Session, calls: ToolCalls): readonly [string, string] {
  return [openingPrompt(session, calls), resumingPrompt(session, calls)];
}

/** The file is written, edited and counted, then words. */
function openingPrompt({ id }: Session, { write, edit, count }: ToolCalls): string {
  const steps = [write, edit, count, `say ${firstWords}`];
  return `Session ${id}. Use your tools.\n${steps.join("\nthen\n")}`;
}

/** The same conversation, taken up again: it is counted once more. */
function resumingPrompt({ id }: Session, { count }: ToolCalls): string {
  return `Session ${id} goes on.\n${count}\nthen\nsay ${lastWords}`;
}

/** What shows that a session was whole, beside its words: that a file was edited, and that the result of a command came back. */
export type SessionCheck = "words" | "file" | "file and result";

/** What became of a session. */
export interface Evidence {
  /** All that the client printed. */
  readonly output: string;
  /** Says why the client failed; undefined: it ended well. */
  readonly failure: string | undefined;
  /** Calls of this session at the upstream. */
  readonly exchanges: readonly StrictExchange[];
}

/** What did not hold; undefined: the session is whole. */
export async function sessionProblem(
  { directory }: Session,
  { output, failure, exchanges }: Evidence,
  proof: SessionCheck,
): Promise<string | undefined> {
  const refused = exchanges.flatMap(({ faults }) => faults)[0];
  if (refused !== undefined) return `the upstream refused ${refused.path}: ${refused.message}`;
  if (failure !== undefined) return failure;
  const missing = [firstWords, lastWords].find((words) => !output.includes(words));
  if (missing !== undefined) return `it did not say "${missing}": ${output.slice(-300)}`;
  const note = await readFile(join(directory, noteName), "utf8").catch(() => "");
  if (proof !== "words" && note.trim() !== "two") return `the note holds ${JSON.stringify(note)}`;
  return proof === "file and result" ? resultFault(exchanges) : undefined;
}

function resultFault(exchanges: readonly StrictExchange[]): string | undefined {
  const told = exchanges.filter(({ body }) => JSON.stringify(body).includes(`1 ${noteName}`));
  return told.length > 0 ? undefined : "no result of a command reached the upstream";
}
