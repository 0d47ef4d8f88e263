import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CausewayProcess, programPath, type Outcome } from "../support/causeway-process.ts";

/** A temporary folder for all that a bench installs and writes. It goes with the bench. */
export class Workspace implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(name: string): Promise<Workspace> {
    const folder = await mkdtemp(join(tmpdir(), `causeway-${name}-`));
    // A run that is interrupted does not come to its end.
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    return new Workspace(folder);
  }

  /** Makes a folder in it. */
  async newFolder(...names: readonly string[]): Promise<string> {
    const folder = join(this.folder, ...names);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What a client leaves running may still write.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** A program from outside. */
export interface ExternalRun {
  readonly words: readonly [string, ...string[]];
  readonly input?: string | undefined;
  readonly home: string;
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** Runs it with a home of its own, and with nobody to talk to but this machine. */
export async function runExternal(run: ExternalRun): Promise<Outcome> {
  const [command, ...words] = run.words;
  const child = CausewayProcess.start(words, {
    command: [command],
    directory: run.directory,
    environment: { ...environmentIn(run.home), ...run.environment },
    ...(run.input !== undefined && { input: run.input }),
  });
  return child.ended(run.limitMs).finally(() => child.signalGroup("SIGKILL"));
}

/** Nothing listens at the port of the proxy, so that whoever asks the internet is refused at once. */
const noProxy = "http://127.0.0.1:9";

function environmentIn(home: string): Record<string, string> {
  return {
    PATH: programPath,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: home,
    HTTP_PROXY: noProxy,
    HTTPS_PROXY: noProxy,
    http_proxy: noProxy,
    https_proxy: noProxy,
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    NODE_USE_ENV_PROXY: "1",
    PYTHONDONTWRITEBYTECODE: "1",
  };
}
