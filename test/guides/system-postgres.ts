import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { chooseServerAccount } from "../../src/platform/database/embedded/server-account.ts";
import { closedPort } from "../support/closed-port.ts";

/** Where distributions put the programs of PostgreSQL, a folder for each version. */
const homes = ["/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"];

/**
 * Folder with a server of PostgreSQL and its own `psql`, `pg_dump` and `pg_restore`, which the
 * embedded one lacks; undefined where there is none. With `CI` in the environment it must be there.
 */
export async function findSystemPostgres(): Promise<string | undefined> {
  for (const home of homes) {
    const versions = await readdir(home).catch(() => []);
    for (const version of versions.toSorted().toReversed()) {
      const programs = await readdir(join(home, version, "bin")).catch(() => []);
      const isWhole = ["initdb", "postgres", "psql", "pg_dump"].every((it) =>
        programs.includes(it),
      );
      if (isWhole) return join(home, version, "bin");
    }
  }
  if (process.env["CI"] === undefined) return undefined;
  throw new Error(
    "PostgreSQL is missing: install it (Debian and Ubuntu: apt-get install postgresql).",
  );
}

/** Starts a server that trusts every connection of this machine. It ends with the test. */
export async function startSystemPostgres(
  binaries: string,
): Promise<{ readonly binaries: string; readonly port: number }> {
  const directory = await mkdtemp(join(tmpdir(), "causeway-guide-postgres-"));
  await chmod(directory, 0o755);
  const account = process.getuid?.() === 0 ? await chooseServerAccount() : undefined;
  if (account !== undefined) spawnSync("chown", [String(account.uid), directory]);
  const options = { ...(account && { uid: account.uid, gid: account.gid }), cwd: "/" } as const;
  const data = join(directory, "data");
  const made = spawnSync(
    join(binaries, "initdb"),
    ["--pgdata", data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"],
    { ...options, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await closedPort();
  const server = spawn(
    join(binaries, "postgres"),
    ["-D", data, "-p", String(port), "-k", directory, "-c", "fsync=off"],
    { ...options, stdio: ["ignore", "ignore", "pipe"] },
  );
  onTestFinished(async () => {
    server.kill("SIGQUIT");
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    await rm(directory, { recursive: true, force: true });
  });
  server.stderr.setEncoding("utf8");
  for await (const text of server.stderr) {
    if (String(text).includes("ready to accept connections")) break;
  }
  return { binaries, port };
}
