import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { access, constants, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";

/** A Redis or Valkey server of one's own on a port of 127.0.0.1, empty, which keeps nothing. */
export interface OwnRedisServer {
  readonly port: number;
  readonly pid: number;
  /** Ends it as a crash would, and waits for that. */
  kill(): Promise<void>;
}

export interface OwnRedisOptions {
  /** A free one unless said. */
  readonly port?: number;
  /** More of the server's own options: `--requirepass`, its value, and so on. */
  readonly settings?: readonly string[];
}

const readyText = "Ready to accept connections";

const programs = ["valkey-server", "redis-server"];

/** Starts a server and waits until it takes connections. It ends with this process at the latest. */
export async function startRedisServer(options: OwnRedisOptions = {}): Promise<OwnRedisServer> {
  const program = await findProgram();
  if (program === undefined) throw new Error(missing);
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

/**
 * Sees to it that a server can be started: one on the PATH, or else Debian's
 * package, which root installs. Throws with what to install.
 */
export async function provideRedisServer(): Promise<void> {
  if ((await findProgram()) !== undefined) return;
  if (process.getuid?.() === 0 && (await findOnPath("apt-get")) !== undefined) {
    await installPackage();
  }
  if ((await findProgram()) === undefined) throw new Error(missing);
}

const missing =
  "These tests need a Redis or Valkey server: put `redis-server` or `valkey-server` on the PATH " +
  "(Debian and Ubuntu: apt-get install redis-server; Fedora: dnf install valkey; macOS: brew install redis).";

async function findProgram(): Promise<string | undefined> {
  for (const program of programs) {
    const path = await findOnPath(program);
    if (path !== undefined) return path;
  }
  return undefined;
}

async function findOnPath(program: string): Promise<string | undefined> {
  // Where root's packages put servers, which the PATH of a service may lack.
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];
  for (const folder of folders) {
    const path = join(folder, program);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && isThere) return path;
  }
  return undefined;
}

const policyFile = "/usr/sbin/policy-rc.d";

/** Installs the package without starting its system service, which Debian asks a policy about. */
async function installPackage(): Promise<void> {
  process.stderr.write("redis-server is not there; installing Debian's package\n");
  const isOurs = await writeFile(policyFile, "#!/bin/sh\nexit 101\n", {
    flag: "wx",
    mode: 0o755,
  }).then(
    () => true,
    () => false,
  );
  try {
    if (!aptGet("install", "--yes", "--no-install-recommends", "redis-server")) {
      // The lists of packages may be missing or old.
      aptGet("update");
      aptGet("install", "--yes", "--no-install-recommends", "redis-server");
    }
  } finally {
    if (isOurs) await rm(policyFile, { force: true });
  }
}

function aptGet(...words: string[]): boolean {
  const { status } = spawnSync("apt-get", ["--quiet", ...words], {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return status === 0;
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
