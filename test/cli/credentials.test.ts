import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { DepshealthService } from "../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { credentialFor } from "../../src/cli/credentials.ts";
import { addressOf, serverUrl } from "../../src/cli/server-url.ts";

const { listKeys, startSignIn } = AccountService.method;
const { listUsers } = AdminService.method;
const here = new URL("http://127.0.0.1:8080");

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "causeway-cli-"));
  await writeFile(join(directory, "first-key"), "cwk_file\n");
  await writeFile(join(directory, "admin-token"), "cwa_file\n");
});

afterAll(() => rm(directory, { recursive: true }));

describe("credentialFor()", () => {
  it("takes the variable that belongs to the method", () => {
    const environment = { CAUSEWAY_KEY: "cwk_a ", CAUSEWAY_ADMIN_TOKEN: "cwa_a" };
    expect(credentialFor(listKeys, here, environment)).toBe("cwk_a");
    expect(credentialFor(listUsers, here, environment)).toBe("cwa_a");
    expect(credentialFor(startSignIn, here, environment)).toBeUndefined();
  });

  it.each(["http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:1", "http://localhost"])(
    "falls back to the files of the data directory for %s",
    (url) => {
      const environment = { CAUSEWAY_DATA_DIR: directory, CAUSEWAY_KEY: "" };
      expect(credentialFor(listKeys, new URL(url), environment)).toBe("cwk_file");
      expect(credentialFor(listUsers, new URL(url), environment)).toBe("cwa_file");
    },
  );

  it.each(["https://causeway.example", "http://127.example", "http://10.0.0.1"])(
    "never sends the files to %s",
    (url) => {
      const environment = { CAUSEWAY_DATA_DIR: directory };
      expect(credentialFor(listKeys, new URL(url), environment)).toBeUndefined();
    },
  );

  it("has none when there is no file", () => {
    const environment = { CAUSEWAY_DATA_DIR: join(directory, "nowhere") };
    expect(credentialFor(listKeys, here, environment)).toBeUndefined();
  });
});

describe("serverUrl()", () => {
  it("is the default address unless said", () => {
    const gateway = addressOf(listKeys);
    expect(serverUrl(gateway, {}).origin).toBe("http://127.0.0.1:8080");
    expect(serverUrl(gateway, { CAUSEWAY_URL: "" }).origin).toBe("http://127.0.0.1:8080");
    const url = "https://a.example/x/";
    expect(serverUrl(gateway, { CAUSEWAY_URL: url }).href).toBe(url);
  });

  it("is that of the tools for their methods", () => {
    const tools = addressOf(DepshealthService.method.packageHealth);
    const url = "https://tools.example/";
    expect(serverUrl(tools, {}).origin).toBe("http://127.0.0.1:8081");
    expect(serverUrl(tools, { CAUSEWAY_URL: "x", CAUSEWAY_TOOLS_URL: url }).href).toBe(url);
  });

  it.each(["nonsense", "127.0.0.1:8080", "ftp://a.example"])("refuses %s", (url) => {
    const refused = () => serverUrl(addressOf(listKeys), { CAUSEWAY_URL: url });
    expect(refused).toThrow(`not "${url}"`);
  });
});
