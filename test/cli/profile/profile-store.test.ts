import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CliProfileStore } from "../../../src/cli/profile/profile-store.ts";

const isRoot = process.getuid?.() === 0;
const profile = { url: "http://127.0.0.1:8080", email: "ada@example.org", session: "cws_a" };

let home: string;
let folder: string;
let file: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "causeway-profiles-"));
  folder = join(home, "causeway");
  file = join(folder, "profiles.json");
  await mkdir(folder, { mode: 0o700 });
  await writeFile(file, JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
});

afterEach(() => rm(home, { recursive: true }));

function store(): CliProfileStore {
  return new CliProfileStore({ XDG_CONFIG_HOME: home });
}

describe("ProfileStore", () => {
  it.each(["folder", "file"])(
    "refuses profiles when others may write to their %s",
    async (place) => {
      await chmod(place === "folder" ? folder : file, 0o722);
      expect(() => store().read()).toThrow("other users may write to it");
    },
  );

  it.skipIf(!isRoot).each(["folder", "file"])(
    "refuses profiles when their %s belongs to another user",
    async (place) => {
      await chown(place === "folder" ? folder : file, 12_345, 12_345);
      expect(() => store().read()).toThrow("belongs to another user (uid 12345)");
    },
  );

  it.skipIf(!isRoot)("writes nothing to a folder of another user", async () => {
    await rm(file);
    await chown(folder, 12_345, 12_345);
    expect(() => store().prepare()).toThrow("belongs to another user (uid 12345)");
    expect(await readdir(folder)).toEqual([]);
  });

  it("writes a new file of mode 0600 whatever lies at a temporary name", async () => {
    await writeFile(`${file}.${process.pid}`, "", { mode: 0o644 });
    store().use("default");
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe("600");
  });

  it.each([0o644, 0o640, 0o604])("warns once about mode %o and sets 0600", async (mode) => {
    await chmod(file, mode);
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      store().read();
      store().read();
      expect(written).toHaveBeenCalledOnce();
      expect(String(written.mock.calls[0]?.[0])).toContain(`${file}: other users could read it`);
    } finally {
      written.mockRestore();
    }
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe("600");
  });

  it("drops user and password of a stored address", async () => {
    const url = "http://ada:hunter2@127.0.0.1:8080";
    const profiles = { default: { ...profile, url, tools_url: `${url}/tools` } };
    await writeFile(file, JSON.stringify({ profiles }));
    expect(store().read().byName.get("default")).toMatchObject({
      url: "http://127.0.0.1:8080",
      toolsUrl: "http://127.0.0.1:8080/tools",
    });
  });
});
