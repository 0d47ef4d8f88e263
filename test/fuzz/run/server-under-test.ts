import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { getOnNewConnection } from "../../process/support/workers.ts";
import { program, programPath } from "../../support/causeway-process.ts";
import { newDataDirectory, removeDataDirectory } from "../../support/data-directory.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";
import type { ServiceName } from "../fuzz-case.ts";
import type { RestCall } from "../../support/rest-client.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { Caller } from "../wire/caller.ts";
import { serverSettings } from "./server-settings.ts";

/** Lets the memory of the server be measured. */
const collectOnSignal = new URL("../processes/collect-on-signal.ts", import.meta.url).href;

/** Of what a process wrote before it ended, so much is read. */
const lastWordsLength = 8000;

/** A refusal that the log does not speak of is waited for so long. */
const logMs = 500;

/** A process that refuses connections has ended, or will have after so long. */
const endMs = 2000;

/** What the process holds after all garbage was collected. */
export interface Memory {
  readonly residentMib: number;
  readonly heapMib: number;
}

/** A line of the log at error level or above. */
export interface ErrorLine {
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
  readonly [member: string]: unknown;
}

export interface ServerUnderTestOptions {
  readonly upstreamOrigin: string;
  /** Members of the configuration file that name where facts of packages come from. */
  readonly packageSources: object;
  /** In place of an embedded server. */
  readonly databaseUrl?: string;
  readonly workers?: number;
}

/** A real server that is started again, on the same data, when something has ended it. */
export class ServerUnderTest {
  readonly #directory: string;
  readonly #databaseUrl: string | undefined;
  #server: ServerProcess;
  #callers: Readonly<Record<ServiceName, Caller>>;
  /** Up to where the log has been read. */
  #readTo = 0;

  private constructor(directory: string, server: ServerProcess, databaseUrl: string | undefined) {
    this.#directory = directory;
    this.#server = server;
    this.#databaseUrl = databaseUrl;
    this.#callers = callersOf(server);
  }

  static async start(options: ServerUnderTestOptions): Promise<ServerUnderTest> {
    const directory = await mkdtemp(join(tmpdir(), "causeway-fuzz-"));
    const file = join(directory, "causeway.json");
    await writeFile(
      file,
      JSON.stringify(serverSettings(options.upstreamOrigin, options.packageSources)),
    );
    const environment = {
      CAUSEWAY_CONFIG: file,
      // A line for each request would fill the memory of whoever reads them.
      CAUSEWAY_LOG_LEVEL: "warn",
      CAUSEWAY_WORKERS: String(options.workers ?? 1),
      PATH: programPath,
      NODE_OPTIONS: `--import=${collectOnSignal}`,
    };
    const { databaseUrl } = options;
    const server = await startServer({
      command: [program],
      environment,
      dataDirectory: await newDataDirectory(),
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
    return new ServerUnderTest(directory, server, databaseUrl);
  }

  get adminToken(): string {
    return this.#server.adminToken;
  }

  /** A connection for each call, so that none of ours is counted at the end. */
  readonly call: RestCall = (method, path, options = {}) =>
    this.#server.call(method, path, {
      ...options,
      headers: { ...options.headers, connection: "close" },
    });

  get hasExited(): boolean {
    return this.#server.process.hasExited;
  }

  /** The same a little later, when whatever has ended it is over. */
  async hasEnded(): Promise<boolean> {
    await Promise.race([this.#server.process.outcome, delay(endMs, undefined, { ref: false })]);
    return this.hasExited;
  }

  urlOf(service: ServiceName): string {
    return service === "gateway" ? this.#server.url : this.#server.toolsUrl;
  }

  callerOf(service: ServiceName): Caller {
    return this.#callers[service];
  }

  /** Starts it again on what it left behind. Resolves with what the dead one said last. */
  async restart(): Promise<string> {
    const { process: dead, environment, dataDirectory } = this.#server;
    const { stderr } = await dead.ended();
    const databaseUrl = this.#databaseUrl;
    await this.#closeCallers();
    this.#server = await startServer({
      command: [program],
      environment,
      dataDirectory,
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
    this.#callers = callersOf(this.#server);
    this.#readTo = 0;
    return stderr.slice(-lastWordsLength);
  }

  /** Lines at error level that were written since the last look. */
  newErrorLines(): ErrorLine[] {
    const { stderr } = this.#server.process;
    const end = stderr.lastIndexOf("\n") + 1;
    const text = stderr.slice(this.#readTo, end);
    this.#readTo = end;
    return errorLinesOf(text);
  }

  /** Waits until the log speaks of these requests, which is a little later than their answers; not for long. */
  async hasLogged(requestIds: readonly string[]): Promise<void> {
    const { process } = this.#server;
    const areThere = () => requestIds.every((id) => process.stderr.includes(id));
    await waitUntil(areThere, logMs).catch(() => undefined);
  }

  /** Whether both services answer. */
  async isHealthy(): Promise<boolean> {
    const answers = [this.#server.url, this.#server.toolsUrl].map(async (url) => {
      const answer = await getOnNewConnection(`${url}/healthz`).catch(() => undefined);
      return answer?.status === 200;
    });
    return (await Promise.all(answers)).every(Boolean);
  }

  /** The least of a few looks, each after a full collection. */
  async memory(): Promise<Memory> {
    const looks: Memory[] = [];
    for (let look = 0; look < 5; look += 1) {
      this.#server.process.signal("SIGUSR2");
      const text = await this.#metrics();
      looks.push({
        residentMib: numberOf(text, "process_resident_memory_bytes") / 2 ** 20,
        heapMib: numberOf(text, "nodejs_heap_size_used_bytes") / 2 ** 20,
      });
    }
    return {
      residentMib: Math.min(...looks.map(({ residentMib }) => residentMib)),
      heapMib: Math.min(...looks.map(({ heapMib }) => heapMib)),
    };
  }

  /** Connections that cases have left open, after ours are closed. */
  async openConnections(): Promise<number> {
    await this.#closeCallers();
    this.#callers = callersOf(this.#server);
    const text = await this.#metrics();
    const counts = text.matchAll(/^causeway_connections_open\{[^}]*\} (\d+)/gm);
    // One is that of this question.
    return [...counts].reduce((sum, [, count]) => sum + Number(count), -1);
  }

  async end(): Promise<void> {
    await this.#closeCallers();
    await this.#server.end();
    await removeDataDirectory(this.#server.dataDirectory);
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #closeCallers(): Promise<void> {
    await Promise.all(Object.values(this.#callers).map((caller) => caller.close()));
  }

  async #metrics(): Promise<string> {
    return (await getOnNewConnection(`${this.#server.url}/metrics`)).text;
  }
}

function callersOf({ url, toolsUrl }: ServerProcess): Readonly<Record<ServiceName, Caller>> {
  return { gateway: new Caller(url), tools: new Caller(toolsUrl) };
}

function errorLinesOf(text: string): ErrorLine[] {
  return text.split("\n").flatMap((line) => {
    if (!/"level":[56]0/.test(line)) return [];
    try {
      return [JSON.parse(line) as ErrorLine];
    } catch {
      return [{ msg: line }];
    }
  });
}

function numberOf(metrics: string, name: string): number {
  return Number(
    new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "m").exec(metrics)?.[1] ?? Number.NaN,
  );
}
