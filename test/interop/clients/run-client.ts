import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Outcome } from "../../support/causeway-process.ts";
import type { StrictExchange } from "../../support/strict-upstream/strict-upstream.ts";
import type { Installed } from "../packages.ts";
import { runExternal } from "../workspace.ts";
import type { Client, CommandClient, ProgramClient } from "./client.ts";
import { sessionProblem, firstWords, lastWords, promptsOf, type Session } from "./session.ts";

/** What became of a session: undefined, it is whole; else what did not hold. */
export interface SessionOutcome {
  readonly session: Session;
  readonly fault: string | undefined;
}

/** What a client said in a session. */
interface Said {
  readonly output: string;
  readonly failure: string | undefined;
}

const silent: Said = { output: "", failure: "it told nothing of the session" };

const promptLimitMs = 120_000;
const programLimitMs = 300_000;

/** Runs all sessions of a client; `heard` gives the upstream's calls so far. */
export async function runClient(
  client: Client,
  installed: Installed,
  sessions: readonly Session[],
  heard: () => readonly StrictExchange[],
): Promise<readonly SessionOutcome[]> {
  const said =
    client.kind === "command"
      ? await runCommands(client, installed, sessions)
      : await runProgram(client, installed, sessions);
  const calls = heard();
  return Promise.all(
    sessions.map(async (session) => {
      const { output, failure } = said.get(session.id) ?? silent;
      const exchanges = calls.filter(({ recalled }) =>
        JSON.stringify(recalled).includes(session.id),
      );
      return {
        session,
        fault: await sessionProblem(session, { output, failure, exchanges }, client.proof),
      };
    }),
  );
}

async function runCommands(
  client: CommandClient,
  installed: Installed,
  sessions: readonly Session[],
): Promise<ReadonlyMap<string, Said>> {
  const said = new Map<string, Said>();
  for (const session of sessions)
    said.set(session.id, await runPrompts(client, installed, session));
  return said;
}

/** The prompts, each in a process of its own; after one that fails there are no more. */
async function runPrompts(
  client: CommandClient,
  installed: Installed,
  session: Session,
): Promise<Said> {
  await writeFiles(session.home, client.files(session));
  const { home, directory } = session;
  let output = "";
  for (const [at, prompt] of client.prompts(session).entries()) {
    const outcome = await runExternal({
      ...client.command(session, installed, { prompt, isResumed: at > 0 }),
      home,
      directory,
      environment: client.environment(session, installed),
      limitMs: promptLimitMs,
    }).catch(String);
    if (typeof outcome === "string") return { output, failure: outcome };
    output += outcome.stdout;
    if (outcome.code !== 0) return { output, failure: endOf(outcome) };
  }
  return { output, failure: undefined };
}

async function writeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = resolve(home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** One process for all sessions, which prints a line of JSON for each. */
async function runProgram(
  client: ProgramClient,
  { folder }: Installed,
  sessions: readonly Session[],
): Promise<ReadonlyMap<string, Said>> {
  const [first] = sessions;
  if (first === undefined) return new Map();
  await cp(join(import.meta.dirname, "programs"), folder, { recursive: true });
  const outcome = await runExternal({
    words: [client.program.endsWith(".py") ? "python3" : "node", join(folder, client.program)],
    input: JSON.stringify(sessions.map(taskOf)),
    home: first.home,
    directory: folder,
    environment: { PYTHONPATH: folder },
    limitMs: programLimitMs,
  }).catch(String);
  if (typeof outcome === "string") {
    return new Map(sessions.map(({ id }) => [id, { output: "", failure: outcome }]));
  }
  const told = outcome.stdout.split("\n").flatMap(readLine);
  const broken = { output: "", failure: endOf(outcome) };
  return new Map(sessions.map(({ id }) => [id, told.find((one) => one.id === id)?.said ?? broken]));
}

function taskOf(session: Session): object {
  const { id, dialect, lane, url, directory } = session;
  const prompts = promptsOf(session, libraryCalls);
  const expected = [firstWords, lastWords];
  return { id, dialect, url, directory, prompts, expected, model: lane.model, key: lane.key };
}

/** The tools of `programs/sessions`. */
const libraryCalls = {
  write: 'call write_file {"path":"note.txt","content":"one\\n"}',
  edit: 'call edit_file {"path":"note.txt","old":"one","new":"two"}',
  count: 'call run_command {"command":"cat note.txt && wc -l note.txt"}',
};

function readLine(line: string): readonly { readonly id: string; readonly said: Said }[] {
  if (!line.startsWith('{"id"')) return [];
  const { id, said, error } = JSON.parse(line) as { id: string; said?: unknown; error?: string };
  return [{ id, said: { output: JSON.stringify(said ?? ""), failure: error } }];
}

function endOf({ code, signal, stderr, stdout }: Outcome): string {
  const said = `${stdout}\n${stderr}`.trim().slice(-400);
  return `it ended with ${code ?? signal ?? "nothing"}: ${said}`;
}
