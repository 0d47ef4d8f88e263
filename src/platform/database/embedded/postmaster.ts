import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { PostgresClusterPaths } from "./cluster-location.ts";
import { isPostmasterRunning, readPostmasterFile } from "./postmaster-file.ts";
import { spawnAsOsUser } from "./run-as.ts";
import { openPostgresServerLog } from "./server-log.ts";
import { embeddedPostgresSettings } from "./server-settings.ts";
import { postgresSocketPort } from "./socket-directory.ts";

/**
 * Starts the server and returns at once. It belongs to no process group of ours
 * and outlives this process; its messages go to the log. Where another process
 * starts one on the same cluster, PostgreSQL lets one of them win and ends the
 * other with an exit code.
 */
export async function spawnPostmaster(
  location: PostgresClusterPaths,
  postgres: string,
  socketDirectory: string,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const log = await openPostgresServerLog(location);
  try {
    const child = await spawnAsOsUser(
      postgres,
      postmasterParameters(location.cluster, socketDirectory, settings),
      {
        account: location.account,
        stdio: ["ignore", log.fd, log.fd],
        detached: true,
      },
    );
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

function postmasterParameters(
  cluster: string,
  socketDirectory: string,
  settings: Readonly<Record<string, string>>,
): string[] {
  const all = {
    ...embeddedPostgresSettings,
    ...settings,
    port: String(postgresSocketPort),
    // A list of directories: quoted, or a comma in the path would end the name.
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
  };
  return [
    "-D",
    cluster,
    ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/**
 * Stops the server: at first it ends its sessions and writes a checkpoint; after
 * ten seconds it stops at once, which the next start recovers from.
 */
export async function stopPostmaster(cluster: string): Promise<void> {
  const file = await readPostmasterFile(cluster);
  if (file === undefined || !isPostmasterRunning(file)) return;
  for (const [signal, milliseconds] of [
    ["SIGINT", 10_000],
    ["SIGQUIT", 5000],
  ] as const) {
    signalPostmaster(file.pid, signal);
    if (await isGone(cluster, file.text, milliseconds)) return;
  }
}

function signalPostmaster(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

async function isGone(cluster: string, text: string, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (Date.now() < deadline) {
    const file = await readPostmasterFile(cluster);
    // A file of another run counts as gone too; the first line is the process, the third the time of its start.
    if (file === undefined || !isPostmasterRunning(file) || runOf(file.text) !== runOf(text))
      return true;
    await delay(10);
  }
  return false;
}

function runOf(text: string): string {
  return text.split("\n").slice(0, 3).join("\n");
}
