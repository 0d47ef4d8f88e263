import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { CausewayProcess, program, programPath, repository } from "../support/causeway-process.ts";
import { closedPort } from "../support/closed-port.ts";
import { removeDataDirectory } from "../support/data-directory.ts";
import { guideSteps, type GuideStep } from "./guide-steps.ts";
import { expectShown } from "./shown-output.ts";

export interface GuideReaderOptions {
  /** What stands in the guides, and what the test has in its place: addresses of vendors, folders. */
  readonly places?: Readonly<Record<string, string>>;
  /** More of the environment that the reader's shell begins with. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * In the place of npx, which takes a second to find what lies beside it. That `npx causeway`
 * works is tried in `test/process/command-line.system.test.ts`.
 */
const quickNpx = `#!/bin/sh
if [ "$1" = causeway ]; then shift; exec ${program} "$@"; fi
exec "$@"
`;

/** What a clone has that the guides use. Its data directory is the reader's own. */
const partsOfClone = ["bin", "docs", "gen", "node_modules", "package.json", "proto", "src"];

/** Somebody who types each command of a guide into one shell, in a clone of their own. */
export class GuideReader {
  /** The clone. */
  readonly directory: string;
  readonly #places: ReadonlyMap<string, string>;
  readonly #environment: Readonly<Record<string, string>>;
  #server: CausewayProcess | undefined;
  #printed = "";

  private constructor(
    directory: string,
    places: ReadonlyMap<string, string>,
    environment: Readonly<Record<string, string>>,
  ) {
    this.directory = directory;
    this.#places = places;
    this.#environment = environment;
  }

  /** A reader with an empty home, gone with the test. */
  static async arrive(options: GuideReaderOptions = {}): Promise<GuideReader> {
    const home = await mkdtemp(join(tmpdir(), "causeway-guide-"));
    const directory = join(home, "causeway");
    await mkdir(directory);
    for (const part of partsOfClone) await symlink(join(repository, part), join(directory, part));
    await writeFile(join(home, "npx"), quickNpx, { mode: 0o755 });
    const [port, toolsPort] = [await closedPort(), await closedPort()];
    const addresses = {
      "127.0.0.1:8080": `127.0.0.1:${port}`,
      "127.0.0.1:8081": `127.0.0.1:${toolsPort}`,
    };
    const reader = new GuideReader(
      directory,
      new Map(Object.entries({ ...addresses, ...options.places })),
      {
        HOME: home,
        XDG_CONFIG_HOME: join(home, ".config"),
        CAUSEWAY_PORT: String(port),
        CAUSEWAY_TOOLS_PORT: String(toolsPort),
        // What the commands take to be there unless a guide says otherwise.
        CAUSEWAY_URL: `http://127.0.0.1:${port}`,
        CAUSEWAY_TOOLS_URL: `http://127.0.0.1:${toolsPort}`,
        ...options.environment,
        PATH: [home, options.environment?.["PATH"] ?? programPath].join(delimiter),
      },
    );
    onTestFinished(() => reader.#leave());
    return reader;
  }

  /** Does what a page, or a section of it, says; throws at the first step that does not go as it says. */
  async follow(page: string, heading?: string): Promise<void> {
    for (const step of guideSteps(page, heading)) await this.#take(step);
  }

  /** Types a command; what it prints. Throws when it fails. */
  async type(command: string): Promise<string> {
    const keep = `export -p >${this.#shellFile}; pwd >${this.#folderFile}`;
    const { code, stdout, stderr } = await this.#shell(`${command}\n${keep}`).ended(240_000);
    if (code === 0) return stdout;
    throw new Error(`It ended with ${code}:\n${command}\n${stdout}\n${stderr}`);
  }

  /** What a guide says as the test has it. */
  here(text: string): string {
    return [...this.#places].reduce((so, [named, real]) => so.replaceAll(named, real), text);
  }

  async #take({ kind, text, file = "" }: GuideStep): Promise<void> {
    if (kind === "command") this.#printed = await this.type(this.here(text));
    if (kind === "server") await this.#start(this.here(text));
    if (kind === "file") await this.#write(file, this.here(text));
    if (kind === "output") expectShown(this.#printed, this.here(text));
  }

  async #start(command: string): Promise<void> {
    await this.stop();
    this.#server = this.#shell(command);
    if (!command.includes("serve tools")) await this.#server.line(/^causeway gateway ready /);
    await this.#server.line(/^causeway tools ready /);
    this.#printed = this.#server.stdout;
  }

  /** Ctrl-C in the terminal of the server. */
  async stop(): Promise<void> {
    this.#server?.signalGroup("SIGINT");
    await this.#server?.ended();
    this.#server = undefined;
  }

  async #write(name: string, text: string): Promise<void> {
    const folder = await readFile(this.#folderFile, "utf8").catch(() => this.directory);
    const file = resolve(folder.trim(), name.replace(/^~/, this.#home));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /** Each shell has what the last one exported, and is where that was. */
  #shell(command: string): CausewayProcess {
    const asBefore = `if [ -f ${this.#shellFile} ]; then . ${this.#shellFile}; cd "$PWD"; fi`;
    return CausewayProcess.start(["-c", `set -euo pipefail\n${asBefore}\n${command}`], {
      command: ["bash"],
      directory: this.directory,
      environment: this.#environment,
    });
  }

  get #home(): string {
    return dirname(this.directory);
  }

  get #shellFile(): string {
    return join(this.#home, "shell");
  }

  get #folderFile(): string {
    return join(this.#home, "folder");
  }

  async #leave(): Promise<void> {
    this.#server?.signalGroup("SIGKILL");
    await this.#server?.outcome;
    await removeDataDirectory(join(this.directory, ".causeway"));
    await rm(this.#home, { recursive: true, force: true });
  }
}
