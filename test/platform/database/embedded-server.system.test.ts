import { execFile, spawn } from "node:child_process";
import {
  access,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { DatabaseChangeFeed } from "../../../src/platform/database/change-feed.ts";
import { openMigratedDatabase } from "../../../src/platform/database/database.ts";
import { locateNativePostgresPackage } from "../../../src/platform/database/embedded/native-package.ts";
import { readPostmasterFile } from "../../../src/platform/database/embedded/postmaster-file.ts";
import { canOsUserTraverse } from "../../../src/platform/database/embedded/path-access.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgresServer,
  type EmbeddedPostgresDependencies,
} from "../../../src/platform/database/embedded-server.ts";
import { execute } from "../../support/test-database.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { Holder } from "./processes/holder.ts";
import { temporaryDirectory } from "./processes/temporary-directory.ts";

const log = pino({ level: "silent" });
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
/** As root, whether an ordinary user could read this clone. */
const isReadable =
  isRoot &&
  (await canOsUserTraverse({ name: "nobody", uid: nobody, gid: nobody }, import.meta.dirname));

/** A data directory with a cluster in it; tests copy it, since making one takes a second. */
let template: string;

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), "database-"));
  await chmod(template, 0o755);
  const server = await startEmbeddedPostgres({
    dataDirectory: join(template, "data"),
    log,
    settings: { fsync: "off" },
  });
  await server.stop();
});
afterAll(() => rm(template, { recursive: true, force: true }));

/** A data directory whose cluster is made but not running. */
async function initialized(): Promise<string> {
  const directory = join(await temporaryDirectory(), "data");
  // It keeps owners and modes, which node:fs does not.
  await promisify(execFile)("cp", ["-a", join(template, "data"), directory]);
  return directory;
}

async function start(
  dataDirectory: string,
  options: Partial<EmbeddedPostgresDependencies> = {},
): Promise<EmbeddedPostgresServer> {
  const server = await startEmbeddedPostgres({
    dataDirectory,
    log,
    settings: { fsync: "off" },
    ...options,
  });
  onTestFinished(() => server.stop());
  return server;
}

function hold(dataDirectory: string, options?: Parameters<typeof Holder.start>[1]): Holder {
  const holder = Holder.start(dataDirectory, options);
  onTestFinished(async () => {
    if (holder.child.exitCode === null && holder.child.signalCode === null) await holder.leave();
  });
  return holder;
}

async function select(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query({ text: sql, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
}

/** As `npm ci --ignore-scripts` would have left it. */
async function copyWithoutLinks(source: string, target: string): Promise<void> {
  await promisify(execFile)("cp", ["-dR", source, target]);
  const library = join(target, "lib");
  for (const entry of await readdir(library, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(library, entry.name));
  }
}

async function postmasterOf(home: string): Promise<number | undefined> {
  return (await readPostmasterFile(join(home, "data")))?.pid;
}

async function ownerOf(path: string): Promise<number> {
  return (await stat(path)).uid;
}

describe("a data directory", { timeout: 90_000 }, () => {
  test("is made, started, stopped and started again, faster and with what it holds", async () => {
    const directory = join(await temporaryDirectory(), "new", "data");
    const began = performance.now();
    const first = await start(directory);
    const firstStart = performance.now() - began;
    await execute(first.connectionString, "create table kept as select 7 as number");
    await first.stop();
    expect(await postmasterOf(join(directory, "postgres"))).toBeUndefined();

    const beganAgain = performance.now();
    const second = await start(directory);
    expect(performance.now() - beganAgain).toBeLessThan(firstStart);
    expect(second.connectionString).toBe(first.connectionString);
    expect(await select(second.connectionString, "select number from kept")).toEqual([7]);
  });

  test("[embedded.socket] holds a server without TCP port, with a private socket and a private password", async () => {
    const directory = await initialized();
    const { connectionString, superuserConnectionString } = await start(directory);
    expect(await select(connectionString, "show listen_addresses")).toEqual([""]);
    const role = "select rolsuper from pg_roles where rolname = current_user";
    expect(await select(connectionString, role)).toEqual([false]);
    const methods = "select distinct auth_method from pg_hba_file_rules";
    expect(await select(superuserConnectionString, methods)).toEqual(["scram-sha-256"]);
    expect((await stat(join(directory, "postgres", "run"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, "database-password"))).mode & 0o777).toBe(0o600);
  });

  test("refuses a wrong password", async () => {
    const { connectionString } = await start(await initialized());
    const url = new URL(connectionString);
    url.password = "wrong";
    await expect(select(url.href, "select 1")).rejects.toThrow("password authentication failed");
  });

  test("whose password is gone is not taken for a new one", async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, "postgres", "data"), { recursive: true });
    await writeFile(join(directory, "postgres", "data", "PG_VERSION"), "18\n");
    await expect(start(directory)).rejects.toThrow(
      /database-password.*is missing.*Restore that file/s,
    );
  });

  test("of another major version is refused", async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, "postgres", "data"), { recursive: true });
    await writeFile(join(directory, "postgres", "data", "PG_VERSION"), "17\n");
    await writeFile(join(directory, "database-password"), "x");
    await expect(start(directory)).rejects.toThrow(
      "made by PostgreSQL 17, this release brings PostgreSQL 18",
    );
  });

  test("that cannot start says so with the end of the log", async () => {
    const directory = await temporaryDirectory();
    await expect(
      start(directory, { settings: { fsync: "off", shared_buffers: "nonsense" } }),
    ).rejects.toThrow(
      /does not start: it ended with exit code 1.*invalid value for parameter "shared_buffers"/s,
    );
  });
});

describe("several processes", { timeout: 90_000 }, () => {
  test("that start at once on an empty directory share one server; the last one out stops it", async () => {
    const directory = await temporaryDirectory();
    const holders = Array.from({ length: 2 }, () => hold(directory));
    const answers = await Promise.all(holders.map(({ ready }) => ready));
    expect(new Set(answers.map(({ connectionString }) => connectionString)).size).toBe(1);

    const server = await postmasterOf(join(directory, "postgres"));
    for (const holder of holders.slice(1)) await holder.leave();
    expect(await postmasterOf(join(directory, "postgres"))).toBe(server);
    await holders[0]?.leave();
    expect(await postmasterOf(join(directory, "postgres"))).toBeUndefined();
  });

  test("that leave while others join never leave one without server", async () => {
    const directory = await initialized();
    let server = await start(directory);
    for (let round = 0; round < 8; round++) {
      const leaving = server.stop();
      const [next] = await Promise.all([start(directory), leaving]);
      expect(await select(next.connectionString, "select 1")).toEqual([1]);
      server = next;
    }
  });

  test("[embedded.join] [start.database-group] a server left over from kill -9 is joined, and a Ctrl-C does not reach it", async () => {
    const directory = await initialized();
    const holder = hold(directory, { detached: true });
    const { connectionString } = await holder.ready;
    const server = await postmasterOf(join(directory, "postgres"));
    await execute(connectionString, "create table kept as select 7 as number");
    process.kill(-(holder.child.pid ?? 0), "SIGINT");
    await waitUntil(() => holder.child.signalCode !== null);

    const other = hold(directory);
    await other.ready;
    await other.kill();
    const joined = await start(directory);
    expect(await postmasterOf(join(directory, "postgres"))).toBe(server);
    expect(await select(joined.connectionString, "select number from kept")).toEqual([7]);
    await joined.stop();
    expect(await postmasterOf(join(directory, "postgres"))).toBeUndefined();
  });
});

describe("a server in use", { timeout: 90_000 }, () => {
  test.each([
    ["is killed", "SIGKILL"],
    ["is stopped by somebody else", "SIGINT"],
  ] as const)(
    "that %s is started again; pool and change feed come back, committed rows stay",
    async (_what, signal) => {
      const directory = await initialized();
      const { connectionString } = await start(directory, { settings: {} });
      const database = await openMigratedDatabase({ connectionString, entities: [], log });
      onTestFinished(() => database.close());
      const feed = new DatabaseChangeFeed({ connectionString, log });
      onTestFinished(() => feed.close());
      await feed.start();
      await database.fork().execute("create table kept (number int); insert into kept values (7)");

      const resets = vi.fn<() => void>();
      feed.onReset(resets);
      const dead = await postmasterOf(join(directory, "postgres"));
      process.kill(dead ?? 0, signal);
      await waitUntil(() => resets.mock.calls.length > 0 && feed.trusted, 60_000);
      await waitUntil(() => database.isReachable());
      expect(await database.fork().execute("select number from kept")).toEqual([{ number: 7 }]);
      expect(await postmasterOf(join(directory, "postgres"))).not.toBe(dead);
    },
  );

  test("[embedded.join] that is stopped while its database starts again leaves none running", async () => {
    const directory = await initialized();
    const server = await start(directory);
    const dead = await postmasterOf(join(directory, "postgres"));
    process.kill(dead ?? 0, "SIGKILL");
    await waitUntil(async () => {
      const now = await postmasterOf(join(directory, "postgres"));
      return now !== undefined && now !== dead;
    });
    await server.stop();
    expect(await postmasterOf(join(directory, "postgres"))).toBeUndefined();
  });

  test.each([
    ["another program", () => programOfAccount()],
    ["the server of another cluster", () => serverOfAnotherCluster()],
  ])("that died left files whose process number %s has now", async (_what, takeNumber) => {
    const directory = await initialized();
    const cluster = join(directory, "postgres", "data");
    const [sockets, number] = [join(directory, "postgres", "run"), await takeNumber()];
    const text = [number, cluster, 1, 5432, sockets, "", "0 0", "ready   ", ""].join("\n");
    await writeFile(join(cluster, "postmaster.pid"), text, { mode: 0o600 });
    await mkdir(sockets, { mode: 0o700, recursive: true });
    await writeFile(join(sockets, ".s.PGSQL.5432.lock"), text, { mode: 0o600 });
    const began = performance.now();
    const second = await start(directory);
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(await select(second.connectionString, "select 1")).toEqual([1]);
  });
});

/** A process of the account that runs the server, which is therefore in PostgreSQL's way. */
async function programOfAccount(): Promise<number> {
  const { uid, gid } = await stat(join(template, "data", "postgres", "data"));
  const child = spawn("sleep", ["300"], { uid, gid, cwd: "/", stdio: "ignore" });
  onTestFinished(() => void child.kill());
  return child.pid ?? 0;
}

async function serverOfAnotherCluster(): Promise<number> {
  const directory = await initialized();
  await start(directory);
  return (await postmasterOf(join(directory, "postgres"))) ?? 0;
}

describe("where the cluster lies", { timeout: 90_000 }, () => {
  test("[embedded.long-path] a long path: the socket lies in a private directory under the temporary one", async () => {
    const parent = await initialized();
    const directory = join(parent, "..", "long-".repeat(20));
    await rename(parent, directory);
    const { connectionString, stop } = await start(directory).then((server) => ({
      connectionString: server.connectionString,
      stop: () => server.stop(),
    }));
    const socketDirectory = new URL(connectionString).searchParams.get("host") ?? "";
    expect(socketDirectory.startsWith(join(await realpath(tmpdir()), "causeway-"))).toBe(true);
    expect((await stat(socketDirectory)).mode & 0o777).toBe(0o700);
    expect(await select(connectionString, "select 1")).toEqual([1]);
    await stop();
    await expect(access(socketDirectory)).rejects.toThrow("ENOENT");

    const again = await start(directory);
    expect(again.connectionString).toBe(connectionString);
  });

  test("a path with a comma, a space and a quote", async () => {
    const directory = join(await initialized(), "..", `a, "b" c`);
    await rename(join(directory, "..", "data"), directory);
    const { connectionString } = await start(directory);
    expect(await select(connectionString, "select 1")).toEqual([1]);
  });

  test.runIf(isRoot)(
    "[embedded.root] as root: in the directory, opened to 0711, under another account",
    async () => {
      const directory = join(await temporaryDirectory(), "data");
      const { connectionString } = await start(directory);
      expect((await stat(directory)).mode & 0o777).toBe(0o711);
      expect(await ownerOf(join(directory, "postgres", "data"))).not.toBe(0);
      expect(await select(connectionString, "select 1")).toEqual([1]);
    },
  );

  test.runIf(isRoot)(
    "[embedded.closed-parent] as root, a clone below a 0700 directory, installed without scripts",
    async () => {
      const clone = await temporaryDirectory(0o700);
      const nativePackage = { ...locateNativePostgresPackage(), directory: join(clone, "native") };
      await copyWithoutLinks(locateNativePostgresPackage().directory, nativePackage.directory);
      const directory = join(clone, "data");
      const stateDirectory = await temporaryDirectory();
      const first = await start(directory, { nativePackage, stateDirectory });
      const home = (await readFile(join(directory, "postgres-location"), "utf8")).trim();
      expect(home.startsWith(join(stateDirectory, "causeway"))).toBe(true);
      await execute(first.connectionString, "create table kept as select 7 as number");
      await first.stop();
      const second = await start(directory, { nativePackage, stateDirectory });
      expect(await select(second.connectionString, "select number from kept")).toEqual([7]);
    },
  );

  test.runIf(isRoot)("as root: a place that is gone is not replaced by an empty one", async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, "postgres-location"), "/nowhere/causeway\n");
    await expect(start(directory)).rejects.toThrow(/lies in \/nowhere\/causeway.*does not exist/s);
  });

  test.runIf(isReadable)("as an ordinary user: in the directory, under that user", async () => {
    const directory = await temporaryDirectory(0o700, nobody);
    const holder = hold(directory, { uid: nobody, gid: nobody });
    const { connectionString, milliseconds } = await holder.ready;
    expect(milliseconds).toBeLessThan(10_000);
    expect(await ownerOf(join(directory, "postgres", "data"))).toBe(nobody);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await select(connectionString, "select 1")).toEqual([1]);
  });

  test.skipIf(isRoot)("as an ordinary user: everything is the user's own and closed", async () => {
    const directory = join(await temporaryDirectory(), "data");
    await start(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await ownerOf(join(directory, "postgres", "data"))).toBe(process.getuid?.());
  });
});
