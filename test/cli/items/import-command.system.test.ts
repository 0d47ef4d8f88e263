import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { runCauseway, type Outcome } from "../../support/causeway-process.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

vi.setConfig({ testTimeout: 60_000 });

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

/** A folder of its own with these files, and a person who imports from it. */
async function importer(files: Readonly<Record<string, string | Buffer>>) {
  const folder = await mkdtemp(join(tmpdir(), "causeway-items-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = async (name: string, content: string | Buffer): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  const user = await causeway.createUser();
  const environment = { CAUSEWAY_URL: causeway.url, CAUSEWAY_KEY: user.session };
  const run = (path: string, ...flags: string[]): Promise<Outcome> =>
    runCauseway(["items", "import", join(folder, path), ...flags], { environment });
  const items = async (): Promise<unknown> => {
    const { body } = await causeway.call("GET", "/v1/items", { token: user.session });
    return (body as { data: unknown }).data;
  };
  return { folder, write, run, items };
}

function skill(name: string, description = "Reads PDF files.", body = "Use a library."): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
}

describe("causeway items import", () => {
  it("[items.import-skill] makes a skill of a SKILL.md, and updates it the next time", async () => {
    const { folder, write, run, items } = await importer({
      "pdf-files/SKILL.md": skill("pdf-files"),
    });
    const first = await run("pdf-files/SKILL.md");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(
      new RegExp(
        `^outcome +kind +name +id +file\ncreated +skills +pdf-files +item_\\w+ +${folder.slice(0, 10)}`,
      ),
    );
    const made = {
      kind: "skills",
      name: "pdf-files",
      description: "Reads PDF files.",
      text: "Use a library.",
    };
    expect(await items()).toMatchObject([made]);
    expect((await run("pdf-files")).stdout).toMatch(/^unchanged /m);
    await write("pdf-files/SKILL.md", skill("pdf-files", "Reads PDF.", "Use two."));
    const { stdout } = await run("pdf-files", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      data: [
        {
          outcome: "updated",
          kind: "skills",
          name: "pdf-files",
          file: join(folder, "pdf-files/SKILL.md"),
        },
      ],
    });
    expect(await items()).toMatchObject([{ ...made, description: "Reads PDF.", text: "Use two." }]);
  });

  it("[items.import-rules] makes rules of an AGENTS.md, called after its folder or as said", async () => {
    const { write, run, items } = await importer({
      "shop/AGENTS.md": "\u{feff}# Shop\r\n\r\nBe brief.\r\n",
    });
    await run("shop/AGENTS.md");
    const rules = { kind: "rules", name: "shop/AGENTS.md", text: "# Shop\n\nBe brief." };
    expect(await items()).toMatchObject([rules]);
    await write("shop/AGENTS.md", "Be long.");
    expect((await run("shop")).stdout).toMatch(/^updated /m);
    await run("shop", "--name", "house rules");
    expect(await items()).toMatchObject([
      { ...rules, text: "Be long." },
      { kind: "rules", name: "house rules", text: "Be long." },
    ]);
  });

  it("reads through a link only a Markdown file of its folder, because a stranger may have made it", async () => {
    const { folder, run, items } = await importer({
      "secret.txt": "TOPSECRET",
      "secret.md": "TOPSECRET",
      "clone/.env": "TOPSECRET",
      "clone/CLAUDE.md": "Be brief.",
    });
    const link = join(folder, "clone/AGENTS.md");
    for (const target of [join(folder, "secret.txt"), "../secret.md", ".env"]) {
      await symlink(target, link);
      for (const path of ["clone", "clone/AGENTS.md"]) {
        const { code, stderr } = await run(path);
        expect([code, stderr]).toEqual([1, expect.stringContaining("leads to no Markdown file")]);
      }
      await rm(link);
    }
    expect(await items()).toEqual([]);
    await symlink("CLAUDE.md", link);
    expect((await run("clone")).code).toBe(0);
    expect(await items()).toMatchObject([{ name: "clone/AGENTS.md", text: "Be brief." }]);
  });

  it("makes items of a whole folder, and says what it leaves behind", async () => {
    const { run, items } = await importer({
      "AGENTS.md": "Be brief.",
      "one/SKILL.md": skill("one", '"Use when: it is Monday"'),
      "one/scripts/run.sh": "rm -rf /",
      "other/SKILL.md": skill("two", ">-\n  Folded\n  text"),
      "empty/README.md": "nothing",
    });
    const { code, stdout, stderr } = await run(".");
    expect(code).toBe(0);
    expect(stdout.match(/^created /gm)).toHaveLength(3);
    expect(stderr).toMatch(
      /^warning: .*one\/SKILL\.md: the agent gets this file alone, and nothing of scripts\.$/m,
    );
    expect(stderr).toMatch(
      /^warning: .*: the skill is called two, its folder other; both should be the same\.$/m,
    );
    expect(await items()).toMatchObject([
      { kind: "rules" },
      { name: "one", description: "Use when: it is Monday" },
      { name: "two", description: "Folded text" },
    ]);
  });

  it("finds an item on whatever page it is, and no other kind of that name", async () => {
    const { write, run, items } = await importer(
      Object.fromEntries(
        Array.from({ length: 101 }, (_, at) => [`s-${at}/SKILL.md`, skill(`s-${at}`)]),
      ),
    );
    expect((await run(".")).stdout.match(/^created /gm)).toHaveLength(101);
    expect((await run("s-99")).stdout).toMatch(/^unchanged /m);
    await write("rules/AGENTS.md", "Be brief.");
    expect((await run("rules", "--name", "s-99")).stdout).toMatch(/^created /m);
    expect(await items()).toHaveLength(20);
  });

  it.each([
    ["no front matter", "# Skill\n", "has no front matter: begin it with a line ---"],
    ["front matter that does not end", "---\nname: bad\n", "has no front matter"],
    [
      "YAML that is none",
      "---\nname: bad\ndescription: use when: asked\n---\nx",
      "line 3 is no YAML: ",
    ],
    ["a list", "---\n- name\n---\nx", "has front matter without members: it needs"],
    ["no name", "---\ndescription: d\n---\nx", "`name` is missing from the front matter"],
    [
      "a name that is no text",
      "---\nname: 7\ndescription: d\n---\nx",
      "`name` must be text; put it in quotes",
    ],
    [
      "a name in capitals",
      skill("Bad"),
      '`name` must be at most 64 of a-z, 0-9 and single hyphens between them, not "Bad"',
    ],
    ["a name with two hyphens", skill("a--b"), "`name` must be"],
    ["a name that ends in one", skill("a-"), "`name` must be"],
    ["a name that is too long", skill("a".repeat(65)), "`name` must be at most 64"],
    [
      "no description",
      "---\nname: bad\n---\nx",
      "`description` is missing from the front matter: say when",
    ],
    ["an empty description", skill("bad", '" "'), "`description` is empty: say when"],
    [
      "a description that is too long",
      skill("bad", "d".repeat(1025)),
      "`description` has 1025 characters, and may have 1024",
    ],
    ["no body", skill("bad", "d", ""), "says nothing behind its front matter"],
    [
      "a body that is too long",
      skill("bad", "d", "x".repeat(100_001)),
      "has more than 100000 characters",
    ],
    ["bytes that are no text", Buffer.from([0x2d, 0xff]), "is no UTF-8 text"],
  ])(
    "[items.import-skill-form] imports nothing at all beside a skill with %s",
    async (_what, content, message) => {
      const { folder, run, items } = await importer({
        "AGENTS.md": "Be brief.",
        "bad/SKILL.md": content,
      });
      const { code, stdout, stderr } = await run(".");
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`${join(folder, "bad/SKILL.md")}: ${message}`);
      expect(stderr).toMatch(/\nNothing was imported\.\n$/);
      expect(await items()).toEqual([]);
    },
  );

  it("[items.import-skill] takes the longest name and description that the format allows", async () => {
    const name = `${"a".repeat(62)}-1`;
    const { run, items } = await importer({ [`${name}/SKILL.md`]: skill(name, "é".repeat(1024)) });
    expect(await run(name)).toMatchObject({ code: 0, stderr: "" });
    expect(await items()).toMatchObject([{ name, description: "é".repeat(1024) }]);
  });

  it("says all that is wrong, two skills of one name too", async () => {
    const { run } = await importer({
      "a/SKILL.md": skill("a"),
      "b/SKILL.md": skill("a"),
      "c/SKILL.md": "x",
      "AGENTS.md": " ",
    });
    const { stderr } = await run(".");
    expect(stderr).toMatch(/AGENTS\.md: is empty/);
    expect(stderr).toMatch(/b\/SKILL\.md: is called a, as .*a\/SKILL\.md is\n/);
    expect(stderr).toMatch(/c\/SKILL\.md: has no front matter/);
  });

  it.each([
    ["nowhere", "ENOENT"],
    ["notes.md", "notes.md is neither a SKILL.md nor an AGENTS.md nor a folder of them"],
    [".", "has no SKILL.md and no AGENTS.md, nor has a folder right below it"],
  ])("ends with 2 for %s", async (path, message) => {
    const { run } = await importer({ "notes.md": "x" });
    const { code, stderr } = await run(path);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("tells a refusal of the server", async () => {
    const { folder } = await importer({ "AGENTS.md": "Be brief." });
    const environment = { CAUSEWAY_URL: causeway.url, CAUSEWAY_KEY: "cwk_junk" };
    const { code, stderr } = await runCauseway(["items", "import", folder], { environment });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^unauthorized: /);
  });
});
