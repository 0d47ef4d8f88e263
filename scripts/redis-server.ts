import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { findProgram, type RequiredProgram } from "./ensure-program.ts";

/** A Redis or Valkey server of one's own on a port of 127.0.0.1, empty, which keeps nothing. */
export interface LocalRedisServer {
  readonly port: number;
  readonly pid: number;
  /** Ends it as a crash would, and waits for that. */
  kill(): Promise<void>;
}

export interface LocalRedisOptions {
  /** A free one unless said. */
  readonly port?: number;
  /** More of the server's own options: `--requirepass`, its value, and so on. */
  readonly settings?: readonly string[];
}

const readyText = "Ready to accept connections";

/** The server that tests start. */
export const redisProgram: RequiredProgram = {
  names: ["valkey-server", "redis-server"],
  debianPackage: "redis-server",
  missing:
    "These tests need a Redis or Valkey server: put `redis-server` or `valkey-server` on the PATH " +
    "(Debian and Ubuntu: apt-get install redis-server; Fedora: dnf install valkey; macOS: brew install redis).",
};

/** Starts a server and waits until it takes connections. It ends with this process at the latest. */
export async function startRedisServer(options: LocalRedisOptions = {}): Promise<LocalRedisServer> {
  const program = await findProgram(redisProgram);
  const directory = await mkdtemp(join(tmpdir(), "causeway-redis-"));
  const port = options.port ?? (await freePort());
  const child = spawn(program, [...argumentsFor(port, directory), ...(options.settings ?? [])], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const killNow = () => void child.kill("SIGKILL");
  process.once("exit", killNow);
  const kill = async () => {
    process.off("exit", killNow);
    if (child.exitCode === null && child.signalCode === null) {
      killNow();
      await once(child, "exit");
    }
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await accepts(child);
    return { port, pid: child.pid ?? 0, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

function argumentsFor(port: number, directory: string): string[] {
  const place = ["--bind", "127.0.0.1", "--port", String(port), "--dir", directory];
  return [...place, "--save", "", "--appendonly", "no", "--daemonize", "no"];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves when the server says that it takes connections. Its output is read on, so that it never waits. */
function accepts(child: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`${child.spawnfile} did not start:\n${said}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (said.includes(readyText)) return;
      said += text;
      if (said.includes(readyText)) resolve();
    });
  });
}
