import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startTools, type ToolsFixture } from "../../depshealth/service/tools-fixture.ts";
import { CausewayProcess, type Outcome } from "../../support/causeway-process.ts";
import { folderForTest } from "../../support/folder-for-test.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Part of every text that no output may have. */
const secret = "s3cr3t";

const outputs: readonly (readonly string[])[] = [[], ["--json"], ["--sarif"], ["--markdown"]];

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
});

afterAll(() => tools.close());

/** A folder `repository` that a stranger made, in a folder with files of the machine. */
async function strangersRepository(files: Readonly<Record<string, string>>): Promise<string> {
  const machine = folderForTest();
  const repository = join(machine, "repository");
  const all = {
    "../machine/names": `${secret}-name\n`,
    "../machine/requirements.txt": `${secret}-name\n`,
    ".git/config": `${secret}-git\n`,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(repository, name)), { recursive: true });
    await writeFile(join(repository, name), text);
  }
  return repository;
}

function makePipe(path: string): void {
  execFileSync("sh", ["-c", '[ -p "$0" ] || mkfifo "$0"', path]);
}

/** Runs an audit whose standard input stays open and empty, as that of a terminal. */
async function audit(directory: string, ...words: readonly string[]): Promise<Outcome> {
  const environment = {
    CAUSEWAY_TOOLS_URL: tools.causeway.toolsUrl,
    MACHINE_TOKEN: `${secret}-environment`,
  };
  const command = ["sh", "-c", 'exec "$0" "$@" <> "$PIPE"', process.execPath] as const;
  const pipe = join(directory, "../standard-input");
  makePipe(pipe);
  const child = CausewayProcess.start(["audit", ...words], {
    environment: { ...environment, PIPE: pipe },
    directory,
    command: [...command, join(import.meta.dirname, "../../../bin/causeway.js")],
  });
  const watchdog = setTimeout(() => child.signal("SIGKILL"), 20_000);
  onTestFinished(() => clearTimeout(watchdog));
  return await child.outcome;
}

interface Report {
  readonly packages: readonly { readonly name: string }[];
  readonly unparsed: readonly {
    readonly file: string;
    readonly line?: number;
    readonly text: string | null;
    readonly reason: string;
  }[];
  readonly summary: { readonly unparsed: number };
}

async function auditReport(
  directory: string,
  ...words: readonly string[]
): Promise<Report & { readonly code: number | undefined }> {
  const { code, stdout, stderr } = await audit(directory, ...words, "--json");
  expect(stdout + stderr).not.toContain(secret);
  return { code, ...(JSON.parse(stdout) as Report) };
}

/** `file:line: word of the reason`. */
function places({ unparsed }: Report): string[] {
  return unparsed.map(({ file, line, reason }) => {
    const words = reason.split(":").slice(0, reason.startsWith("include") ? 2 : 1);
    return `${file}:${line ?? "-"}: ${words.join(":")}`;
  });
}

describe("causeway audit of a repository that includes files of the machine", () => {
  it("skips what is not below the folder, whatever path or link leads there", async () => {
    const lines = [
      "-r ../../../../../../proc/self/environ",
      "-r ../machine/names",
      "-c ../machine/names",
      "-r ../../../../../../dev/stdin",
      "-r link-to-file",
      "-r link-to-folder/names",
      "-r link-to-zero",
      "-r link-to-environment",
      "-r link-to-nothing",
      "-r missing.txt",
    ];
    const folder = await strangersRepository({ "requirements.txt": lines.join("\n") });
    await symlink("../machine/names", join(folder, "link-to-file"));
    await symlink("../machine", join(folder, "link-to-folder"));
    await symlink("/dev/zero", join(folder, "link-to-zero"));
    await symlink("/proc/self/environ", join(folder, "link-to-environment"));
    await symlink("../machine/nothing", join(folder, "link-to-nothing"));
    for (const path of [".", "requirements.txt"]) {
      const report = await auditReport(folder, path);
      expect(report).toMatchObject({ code: 3, packages: [] });
      expect(places(report)).toEqual(
        lines.map((_, at) => `requirements.txt:${at + 1}: include: outside`),
      );
    }
  });

  it("skips hidden, special and very large files below the folder, with the reason", async () => {
    const names = [".git/config", "link", "pipe", "folder", "large"];
    const folder = await strangersRepository({
      "requirements.txt": names.map((name) => `-r ${name}`).join("\n"),
      ".env": `${secret}-env`,
      "folder/a": "",
      large: "",
    });
    await symlink(".env", join(folder, "link"));
    await truncate(join(folder, "large"), 3 * 1024 ** 3);
    makePipe(join(folder, "pipe"));
    const report = await auditReport(folder, ".");
    expect(report).toMatchObject({ code: 3, packages: [] });
    expect(places(report)).toEqual([
      "requirements.txt:1: include: hidden",
      "requirements.txt:2: include: hidden",
      "requirements.txt:3: include: not_a_file",
      "requirements.txt:4: include: not_a_file",
      "requirements.txt:5: include: too_large",
    ]);
  });

  it("reads what is below the folder, also behind a link, and stops in a loop of links", async () => {
    const folder = await strangersRepository({
      "requirements.txt": "-r linked\n-r deps/base.txt\n-r self/loop.txt\n",
      "deps/base.txt": `one==1\n-r more.txt\nTOKEN=${secret}\n`,
      "deps/more.txt": "two==2\n",
      "loop.txt": "-r self/loop.txt\n",
    });
    await symlink("deps/more.txt", join(folder, "linked"));
    await symlink(".", join(folder, "self"));
    const report = await auditReport(folder, ".");
    expect(report.packages.map(({ name }) => name)).toEqual(["two", "one"]);
    expect(places(report)).toEqual([
      "deps/base.txt:3: invalid_specifier",
      expect.stringMatching(/^(self\/){20}loop\.txt:1: include: includes nest too deep$/),
    ]);
  });

  it("skips a parent of a pom above the folder and reports it", async () => {
    const parent = "<parent><relativePath>../machine/pom.xml</relativePath></parent>";
    const folder = await strangersRepository({
      "pom.xml": `<project>${parent}</project>`,
      "../machine/pom.xml": `<project><version>${secret}</version></project>`,
    });
    const report = await auditReport(folder, "pom.xml");
    expect(places(report)).toEqual(["pom.xml:-: include: outside"]);
  });

  it.each([
    [
      "App.csproj",
      '<Project><PropertyGroup><A>$(B)</A></PropertyGroup><ItemGroup><PackageReference Include="x" Version="$(Secret)"/></ItemGroup></Project>',
      "Directory.Build.props",
      `<Project><PropertyGroup><Secret>${secret}</Secret></PropertyGroup></Project>`,
    ],
    [
      "Cargo.toml",
      "[dependencies]\nx = { workspace = true }\n",
      "Cargo.toml",
      `[workspace]\ndependencies = { x = "${secret}" }\n`,
    ],
    [
      "build.gradle",
      "implementation libs.x\n",
      "gradle/libs.versions.toml",
      `[libraries]\nx = "a:${secret}:1"\n`,
    ],
    ["build.gradle", 'implementation "a:b:$v"\n', "gradle.properties", `v=1${secret}\n`],
  ])("looks for nothing of a %s above the folder, case %#", async (name, text, above, machine) => {
    const folder = await strangersRepository({ [name]: text });
    const linked = name === "build.gradle" && above === "gradle.properties";
    await mkdir(dirname(join(folder, "..", above)), { recursive: true });
    await writeFile(join(folder, "..", above), machine);
    if (linked) await symlink(`../${above}`, join(folder, above));
    expect((await auditReport(folder, ".")).code).toBe(3);
  });
});

describe("causeway audit of a repository with odd files", () => {
  it("reports each file of a known name that is not read, with its reason", async () => {
    const folder = await strangersRepository({ "package.json/a": "", "pnpm-lock.yaml": "" });
    makePipe(join(folder, "Gemfile"));
    const socket = createServer().listen(join(folder, "go.mod"));
    onTestFinished(() => void socket.close());
    await symlink("/dev/zero", join(folder, "Cargo.toml"));
    await symlink("../machine/requirements.txt", join(folder, "requirements.txt"));
    await symlink("composer.lock", join(folder, "composer.json"));
    await symlink("composer.json", join(folder, "composer.lock"));
    await symlink(".git/config", join(folder, "dev-requirements.txt"));
    await symlink("../machine", join(folder, "linked"));
    await truncate(join(folder, "pnpm-lock.yaml"), 3 * 1024 ** 3);
    const report = await auditReport(folder, ".");
    expect(report).toMatchObject({ code: 3, packages: [] });
    expect(places(report)).toEqual([
      "Cargo.toml:-: outside",
      "Gemfile:-: not_a_file",
      "composer.json:-: outside",
      "composer.lock:-: outside",
      "dev-requirements.txt:-: hidden",
      "go.mod:-: not_a_file",
      "package.json:-: not_a_file",
      "pnpm-lock.yaml:-: too_large",
      "requirements.txt:-: outside",
    ]);
  });

  it("reads a link that leads to a file of the folder", async () => {
    const folder = await strangersRepository({ "deps/base": "one==1\n" });
    await symlink("deps/base", join(folder, "requirements.txt"));
    expect((await auditReport(folder, ".")).packages).toMatchObject([{ name: "one" }]);
  });

  it("reads a pipe or a link that the command line names, and nothing that it includes", async () => {
    const folder = await strangersRepository({});
    await writeFile(join(folder, "../machine/mine.txt"), "one==1\n-r names\n-r ../machine/names\n");
    await symlink("../machine/mine.txt", join(folder, "requirements.txt"));
    const named = await auditReport(folder, "requirements.txt");
    expect(named.packages).toMatchObject([{ name: "one" }]);
    expect(places(named)).toEqual([
      "requirements.txt:2: include: outside",
      "requirements.txt:3: include: outside",
    ]);
    expect((await audit(folder, "/dev/zero")).stdout).toContain("too_large");
  });
});

describe("causeway audit of lines that are no requirement", () => {
  const lines = [
    `export TOKEN=${secret}`,
    `PASSWORD=${secret}`,
    `AWS_KEY=${secret}/slash`,
    `password: ${secret}`,
    `postgres://user:${secret}@db.example/x`,
    `--extra-index-url https://user:${secret}@index.example/simple`,
    `-e ${secret}/folder`,
    `/home/${secret}`,
  ];
  const broken = {
    "requirements.txt": lines.join("\n"),
    "package.json": `{"dependencies": {"a": {"x": "${secret}"}}}`,
    "a/package.json": `"${secret}"\n`,
    "b/package.json": `{"${secret}": `,
    "pnpm-lock.yaml": `a: b: "${secret}"\n${secret}: *${secret}\n]${secret}\n`,
    "pom.xml": `<project><${secret}></${secret}x></project>`,
    "Cargo.toml": `${secret} = = ${secret}\n`,
    "build.gradle": `api key: ${secret}\nimplementation ${secret}.x\nruntime files("${secret}")\n`,
    Gemfile: `gem ${secret}\ngem "x", git: "https://user:${secret}@git.example/x"\n`,
  };

  it.each(outputs)(
    "counts them and quotes none, output %#",
    async (...words: readonly string[]) => {
      const folder = await strangersRepository(broken);
      const { code, stdout, stderr } = await audit(folder, ".", ...words);
      expect(code).toBe(3);
      expect(stdout + stderr).not.toContain(secret);
      expect(stdout).toContain("requirements.txt");
    },
  );

  it("gives file, line and reason of each, and sends none to the server", async () => {
    const folder = await strangersRepository({ "requirements.txt": lines.join("\n") });
    const report = await auditReport(folder, ".");
    expect(report.summary.unparsed).toBe(lines.length);
    expect(report.unparsed.map(({ file, line, text }) => [file, line, text])).toEqual(
      lines.map((_, at) => ["requirements.txt", at + 1, null]),
    );
    expect(report.packages).toEqual([]);
  });

  it("masks user, password and query of an address that a requirement names", async () => {
    const folder = await strangersRepository({
      "requirements.txt": [
        `git+https://user:${secret}@git.example/a/b.git@v1#egg=b`,
        `c @ https://${secret}@files.example/c.whl?token=${secret}`,
        `https://u:pa/${secret}@files.example/d.whl`,
        `https://user:${"x".repeat(400)}${secret}@files.example/e.whl`,
      ].join("\n"),
      "package.json": JSON.stringify({
        dependencies: {
          f: `git+ssh://git:${secret}@git.example/f.git`,
          g: `github:u:${secret}@o/g`,
        },
      }),
    });
    const { unparsed } = await auditReport(folder, ".");
    expect(unparsed.map(({ text }) => text)).toEqual([
      '"f": "git+ssh://***@git.example/f.git"',
      expect.not.stringContaining(secret),
      "git+https://***@git.example/a/b.git@v1#egg=b",
      "c @ https://***@files.example/c.whl?***",
      "https://***@files.example/d.whl",
      "https://***@",
    ]);
  });

  it("accepts one by its line in a baseline, which has no more of it either", async () => {
    const folder = await strangersRepository({ "requirements.txt": `fine\nTOKEN=${secret}\n` });
    const reason = ["--fail-on", "unparsed", "--reason", "a test"];
    const written = await audit(folder, ".", "--write-baseline", "b.json", ...reason);
    expect(written.code).toBe(0);
    const baseline = await readFile(join(folder, "b.json"), "utf8");
    expect(baseline).not.toContain(secret);
    expect(JSON.parse(baseline)).toMatchObject({ accepted: [{ text: "line 2" }] });
    const again = ["--fail-on", "unparsed", "--baseline", "b.json"];
    expect((await audit(folder, ".", ...again)).code).toBe(0);
  });

  it.each([
    ["text", `${secret}: x`],
    ["JSON", JSON.stringify({ [secret]: secret, version: 1, accepted: [] })],
  ])("does not quote a baseline that is a link to other %s", async (_what, text) => {
    const folder = await strangersRepository({ "requirements.txt": "", "../machine/other": text });
    await symlink("../machine/other", join(folder, "b.json"));
    const { code, stdout, stderr } = await audit(folder, ".", "--baseline", "b.json");
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain(secret);
    expect((await audit(folder, ".", "--baseline", "/dev/zero")).code).toBe(2);
  });
});
