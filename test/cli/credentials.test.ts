import { chmod, chown, lchown, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { DepshealthService } from "../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { ModelService } from "../../gen/ts/causeway/model/v1/model_pb.ts";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import type { CliProfileContext } from "../../src/cli/cli-context.ts";
import { resolveCliCredential } from "../../src/cli/credentials.ts";
import type { NamedProfile } from "../../src/cli/profile/profile.ts";
import { selectServiceUrlConfigByMethod, resolveCliServiceUrl } from "../../src/cli/server-url.ts";

const { listKeys, startSignIn } = AccountService.method;
const { listUsers } = AdminService.method;
const here = new URL("http://127.0.0.1:8080");

/** Who calls with that environment, and with that profile if there is one. */
function by(environment: NodeJS.ProcessEnv, profile?: NamedProfile): CliProfileContext {
  return { environment, profile };
}

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "causeway-cli-"));
  await writeFile(join(directory, "first-key"), "cwk_file\n");
  await writeFile(join(directory, "admin-token"), "cwa_file\n");
});

afterAll(() => rm(directory, { recursive: true }));

describe("credentialFor()", () => {
  it("takes the variable that belongs to the method", () => {
    const caller = by({ CAUSEWAY_KEY: "cwk_a ", CAUSEWAY_ADMIN_TOKEN: "cwa_a" });
    const from = "environment";
    expect(resolveCliCredential(listKeys, here, caller)).toEqual({ token: "cwk_a", from });
    expect(resolveCliCredential(listUsers, here, caller)).toEqual({ token: "cwa_a", from });
    expect(resolveCliCredential(startSignIn, here, caller)).toBeUndefined();
  });

  it.each(["http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:1", "http://localhost"])(
    "falls back to the files of the data directory for %s",
    (url) => {
      const caller = by({ CAUSEWAY_DATA_DIR: directory, CAUSEWAY_KEY: "" });
      const from = "data directory";
      expect(resolveCliCredential(listKeys, new URL(url), caller)).toEqual({
        token: "cwk_file",
        from,
      });
      expect(resolveCliCredential(listUsers, new URL(url), caller)).toEqual({
        token: "cwa_file",
        from,
      });
    },
  );

  it.each(["https://causeway.example", "http://127.example", "http://10.0.0.1"])(
    "never sends the files to %s",
    (url) => {
      const caller = by({ CAUSEWAY_DATA_DIR: directory });
      expect(resolveCliCredential(listKeys, new URL(url), caller)).toBeUndefined();
    },
  );

  it("rejects a variable with a line break and does not quote it", () => {
    const reading = () =>
      resolveCliCredential(listKeys, here, by({ CAUSEWAY_KEY: "cwk_a\ncwk_secret" }));
    expect(reading).toThrow("CAUSEWAY_KEY");
    expect(reading).not.toThrow("cwk_secret");
  });

  it.each(["link", "folder", "lines"])(
    "takes no credential from a first key that is a %s",
    async (kind) => {
      const folder = await mkdtemp(join(directory, "hostile-"));
      const path = join(folder, "first-key");
      if (kind === "link") await symlink(join(directory, "first-key"), path);
      else if (kind === "folder") await mkdir(path);
      else await writeFile(path, "MYSECRET=a\nOTHER=b\n");
      const caller = by({ CAUSEWAY_DATA_DIR: folder });
      expect(resolveCliCredential(listKeys, here, caller)).toBeUndefined();
    },
  );

  it.each(["folder", "file"])(
    "refuses a first key when other users may write to its %s",
    async (place) => {
      const { folder, path } = await folderWithKey();
      await chmod(place === "folder" ? folder : path, 0o722);
      expect(readingFrom(folder)).toThrow("other users may write to it");
    },
  );

  it.skipIf(process.getuid?.() !== 0).each(["folder", "file"])(
    "refuses a first key when its %s belongs to another user",
    async (place) => {
      const { folder, path } = await folderWithKey();
      await chown(place === "folder" ? folder : path, 12_345, 12_345);
      expect(readingFrom(folder)).toThrow("belongs to another user (uid 12345)");
    },
  );

  it.skipIf(process.getuid?.() !== 0)(
    "refuses a data directory when the link to it belongs to another user",
    async () => {
      const { folder } = await folderWithKey();
      const link = `${folder}-link`;
      await symlink(folder, link);
      expect(readingFrom(link)()).toMatchObject({ token: "cwk_own" });
      await lchown(link, 12_345, 12_345);
      expect(readingFrom(link)).toThrow("belongs to another user (uid 12345)");
    },
  );

  async function folderWithKey() {
    const folder = await mkdtemp(join(directory, "planted-"));
    const path = join(folder, "first-key");
    await writeFile(path, "cwk_own\n");
    return { folder, path };
  }

  function readingFrom(folder: string) {
    return () => resolveCliCredential(listKeys, here, by({ CAUSEWAY_DATA_DIR: folder }));
  }

  it("has none when there is no file", () => {
    const caller = by({ CAUSEWAY_DATA_DIR: join(directory, "nowhere") });
    expect(resolveCliCredential(listKeys, here, caller)).toBeUndefined();
  });

  describe("with a profile", () => {
    const profile = {
      name: "work",
      url: "http://127.0.0.1:8080",
      toolsUrl: "http://127.0.0.1:8081",
      email: "ada@example.org",
      session: "cws_profile",
    };
    const { listUpstreams } = UpstreamService.method;

    it("is its session, before the files of the data directory", () => {
      const caller = by({ CAUSEWAY_DATA_DIR: directory }, profile);
      const expected = { token: "cws_profile", from: "profile" };
      expect(resolveCliCredential(listKeys, here, caller)).toEqual(expected);
      expect(resolveCliCredential(listUpstreams, here, caller)).toEqual(expected);
    });

    it("is what the environment has, where it has something", () => {
      const caller = by({ CAUSEWAY_KEY: "cwk_a" }, profile);
      expect(resolveCliCredential(listKeys, here, caller)?.token).toBe("cwk_a");
    });

    const { listModels } = ModelService.method;

    it("is its key where a method takes no session, and nothing of the data directory", () => {
      const key = { id: "key_a", secret: "cwk_profile" };
      const caller = by({ CAUSEWAY_DATA_DIR: directory }, profile);
      expect(resolveCliCredential(listModels, here, caller)).toBeUndefined();
      expect(resolveCliCredential(listUsers, here, caller)).toBeUndefined();
      const keyed = by({ CAUSEWAY_DATA_DIR: directory }, { ...profile, key });
      expect(resolveCliCredential(listModels, here, keyed)?.token).toBe("cwk_profile");
      const elsewhere = new URL("http://127.0.0.1:1");
      expect(resolveCliCredential(listModels, elsewhere, keyed)).toBeUndefined();
    });

    it("has the data directory if it is the machine owner's, and not if that is another machine", () => {
      const owner = { ...profile, email: "owner@localhost" };
      const caller = by({ CAUSEWAY_DATA_DIR: directory }, owner);
      expect(resolveCliCredential(listModels, here, caller)?.token).toBe("cwk_file");
      expect(resolveCliCredential(listUsers, here, caller)?.token).toBe("cwa_file");
      const remote = by({ CAUSEWAY_DATA_DIR: directory }, { ...owner, url: "https://a.example" });
      expect(resolveCliCredential(listModels, here, remote)).toBeUndefined();
      const otherPort = new URL("http://127.0.0.1:47811");
      expect(resolveCliCredential(listModels, otherPort, caller)).toBeUndefined();
      expect(resolveCliCredential(listUsers, otherPort, caller)).toBeUndefined();
    });

    it("is all that counts where it is named, but for the operator token", () => {
      const environment = { CAUSEWAY_KEY: "cwk_a", CAUSEWAY_ADMIN_TOKEN: "cwa_a" };
      const caller = { ...by(environment, profile), isNamed: true };
      expect(resolveCliCredential(listKeys, here, caller)?.token).toBe("cws_profile");
      expect(resolveCliCredential(listModels, here, caller)).toBeUndefined();
      expect(resolveCliCredential(listUsers, here, caller)?.token).toBe("cwa_a");
    });

    it.each([
      "http://127.0.0.1:8081",
      "http://localhost:8080",
      "https://127.0.0.1:8080",
      "http://127.0.0.1:8080/other",
    ])("never sends the session to another server: %s", (url) => {
      expect(resolveCliCredential(listKeys, new URL(url), by({}, profile))).toBeUndefined();
    });

    it("says where the server is, unless the environment does", () => {
      const [gateway, tools] = [listKeys, DepshealthService.method.packageHealth].map(
        selectServiceUrlConfigByMethod,
      );
      if (gateway === undefined || tools === undefined) throw new Error("no address");
      const remote = { ...profile, url: "https://a.example", toolsUrl: "https://b.example" };
      expect(resolveCliServiceUrl(gateway, by({}, remote)).host).toBe("a.example");
      expect(resolveCliServiceUrl(tools, by({}, remote)).host).toBe("b.example");
      const environment = { CAUSEWAY_URL: "https://c.example" };
      expect(resolveCliServiceUrl(gateway, by(environment, remote)).host).toBe("c.example");
    });
  });
});

describe("serverUrl()", () => {
  it("is the default address unless said", () => {
    const gateway = selectServiceUrlConfigByMethod(listKeys);
    expect(resolveCliServiceUrl(gateway, by({})).origin).toBe("http://127.0.0.1:8080");
    expect(resolveCliServiceUrl(gateway, by({ CAUSEWAY_URL: "" })).origin).toBe(
      "http://127.0.0.1:8080",
    );
    const url = "https://a.example/x/";
    expect(resolveCliServiceUrl(gateway, by({ CAUSEWAY_URL: url })).href).toBe(url);
  });

  it("is that of the tools for their methods", () => {
    const tools = selectServiceUrlConfigByMethod(DepshealthService.method.packageHealth);
    const url = "https://tools.example/";
    expect(resolveCliServiceUrl(tools, by({})).origin).toBe("http://127.0.0.1:8081");
    expect(
      resolveCliServiceUrl(tools, by({ CAUSEWAY_URL: "x", CAUSEWAY_TOOLS_URL: url })).href,
    ).toBe(url);
  });

  it.each(["nonsense", "127.0.0.1:8080", "ftp://a.example"])("refuses %s", (url) => {
    const refused = () =>
      resolveCliServiceUrl(selectServiceUrlConfigByMethod(listKeys), by({ CAUSEWAY_URL: url }));
    expect(refused).toThrow(`not "${url}"`);
  });

  it.each([
    "http://ada:hunter2@a.example",
    "http//ada:hunter2@a.example",
    "http://hunter2@a.example",
  ])("refuses %s without quoting its password", (url) => {
    const refused = () =>
      resolveCliServiceUrl(selectServiceUrlConfigByMethod(listKeys), by({ CAUSEWAY_URL: url }));
    expect(refused).toThrow("CAUSEWAY_URL: must ");
    expect(refused).not.toThrow("hunter2");
  });
});
