import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { CreateKeyRequestSchema } from "../../../gen/ts/causeway/account/v1/key_pb.ts";
import { AdminService } from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { LearnServiceRequestSchema } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import {
  CreateUpstreamRequestSchema,
  UpstreamService,
} from "../../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import {
  LinkVendorRequestSchema,
  VendorService,
} from "../../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { RequestValidator } from "../../../src/transport/interceptors/validate.ts";

const validator = new RequestValidator();
const upstream = { label: "l", baseUrl: "https://a.test", apiKey: "k" };

async function paramOf(
  ...[desc, message]: Parameters<RequestValidator["check"]>
): Promise<string | undefined> {
  try {
    await validator.check(desc, message);
  } catch (error) {
    if (error instanceof ApiError) return error.param;
    throw error;
  }
  throw new Error("the message was not refused");
}

describe("RequestValidator", () => {
  it("compiles the rules of every request", async () => {
    const services = [AccountService, AdminService, UpstreamService, VendorService];
    await expect(validator.preload(services)).resolves.toBeUndefined();
  });

  it("takes white space off where the option says so, and only there", async () => {
    const message = create(CreateUpstreamRequestSchema, {
      ...upstream,
      label: " l ",
      apiKey: " k ",
    });
    await validator.check(CreateUpstreamRequestSchema, message);
    expect(message).toMatchObject({ label: "l", apiKey: " k " });
  });

  it.each([
    [{ label: "  " }, "label"],
    [{ label: "x".repeat(201) }, "label"],
    [{ models: ["a", ""] }, "models[1]"],
    [{ headers: { "bad name": "x" } }, "headers.bad name"],
    [{ headers: { "x-a": "\n" } }, "headers.x-a"],
    [{ models: ["a", "b\0"] }, "models[1]"],
    [{ headers: { "x-a": "\ud800" } }, "headers.x-a"],
    [{ headers: { "x\0": "a" } }, "headers"],
  ])("refuses the change %j and names the field %s", async (change, param) => {
    const message = create(CreateUpstreamRequestSchema, { ...upstream, ...change });
    expect(await paramOf(CreateUpstreamRequestSchema, message)).toBe(param);
  });

  it("counts code points, not UTF-16 units", async () => {
    const message = create(CreateUpstreamRequestSchema, { ...upstream, label: "😀".repeat(200) });
    await expect(validator.check(CreateUpstreamRequestSchema, message)).resolves.toBeUndefined();
  });

  it("names fields of inner messages and of oneofs", async () => {
    const budget = create(CreateKeyRequestSchema, { budget: { limitUsd: -1, window: 1 } });
    expect(await paramOf(CreateKeyRequestSchema, budget)).toBe("budget.limit_usd");
    const login = create(LinkVendorRequestSchema, {
      credential: { case: "login", value: { accessToken: "a\0" } },
    });
    expect(await paramOf(LinkVendorRequestSchema, login)).toBe("login.access_token");
    expect(await paramOf(LinkVendorRequestSchema, create(LinkVendorRequestSchema))).toBe("api_key");
    const key = create(LinkVendorRequestSchema, { credential: { case: "apiKey", value: "" } });
    expect(await paramOf(LinkVendorRequestSchema, key)).toBe("api_key");
  });

  it("looks for what cannot be stored in foreign JSON, too", async () => {
    const har = { log: [{ text: "a\0" }] };
    const message = create(LearnServiceRequestSchema, { serviceId: "crm", har });
    expect(await paramOf(LearnServiceRequestSchema, message)).toBe("har");
  });
});
