import { toJson, type DescMethod, type DescService } from "@bufbuild/protobuf";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { ModelService } from "../../gen/ts/causeway/model/v1/model_pb.ts";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { VendorService } from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { listRequestPathFields, listRequestFlagFields } from "../../src/cli/request-fields.ts";
import { addRequestFlags } from "../../src/cli/request-flags.ts";
import { buildRequestFromFlags } from "../../src/cli/request-message.ts";
import { allServiceDescriptors } from "../../src/contract/services.ts";

/** The command of a method, which throws in place of exiting and says nothing. */
function commandOf(method: DescMethod): Command {
  const command = new Command("test").exitOverride().configureOutput({ writeErr: () => {} });
  addRequestFlags(command, method);
  return command;
}

/** The request of a command line, as proto JSON. */
function requestOf(service: DescService, name: string, words: readonly string[]): unknown {
  const method = methodOf(service, name);
  const command = commandOf(method);
  command.parse(words, { from: "user" });
  const message = buildRequestFromFlags(method, command.args, command.opts());
  return toJson(method.input, message);
}

function methodOf(service: DescService, name: string): DescMethod {
  const method = service.methods.find((candidate) => candidate.name === name);
  if (method === undefined) throw new Error(`no method ${name}`);
  return method;
}

const key = (...words: string[]) => requestOf(AccountService, "CreateKey", words);
const keyChange = (...words: string[]) => requestOf(AccountService, "UpdateKey", words);
const required = ["--label", "L", "--base-url", "http://a", "--api-key", "k"];
const endpoint = (...words: string[]) =>
  requestOf(UpstreamService, "CreateUpstream", [...required, ...words]);

describe("the flags of a request", () => {
  it("are read by the names that commander gives them, for every field of the contract", () => {
    for (const method of allServiceDescriptors.flatMap(({ methods }) => methods)) {
      const command = commandOf(method);
      const attributes = new Set(command.options.map((option) => option.attributeName()));
      expect([...attributes]).toEqual(
        listRequestFlagFields(method).map(({ jsonName }) => jsonName),
      );
      expect(command.registeredArguments).toHaveLength(listRequestPathFields(method).length);
    }
  });

  it("are described in the words of the contract", () => {
    const help = commandOf(methodOf(UpstreamService, "CreateUpstream"))
      .helpInformation()
      .replaceAll(/\s+/g, " ");
    expect(help).toContain("--label <text> What the endpoint is called, 1 to 200 code points");
    expect(help).toContain("--api-key <text> API key, 1 to 4096 characters without control");
    expect(help).toContain('--dialect <word> What it speaks (choices: "auto", "dialect_chat"');
    expect(help).toContain("--headers <name=value> Extra request headers");
  });

  it("say what is read from stdin, and what is any JSON object", () => {
    const help = (service: DescService, name: string) =>
      commandOf(methodOf(service, name)).helpInformation().replaceAll(/\s+/g, " ");
    const link = help(VendorService, "LinkVendor");
    expect(link.match(/`-` reads it from stdin/g)).toHaveLength(2);
    const count = help(ModelService, "CountMessageTokens");
    expect(count).toContain("--body <json> The body, whole; a JSON object; required");
  });
});

describe("requestMessage()", () => {
  it("is empty without a flag", () => {
    expect(key()).toEqual({});
  });

  it("takes arguments for what the path names", () => {
    expect(requestOf(AdminService, "RevokeUserKey", ["user_1", "key_1"])).toEqual({
      userId: "user_1",
      id: "key_1",
    });
  });

  it("takes words for enums, alone and in lists", () => {
    expect(key("--route", "byo", "--scopes", "gateway:invoke", "--scopes", "teams:read")).toEqual({
      route: "KEY_ROUTE_BYO",
      scopes: ["SCOPE_GATEWAY_INVOKE", "SCOPE_TEAMS_READ"],
    });
  });

  it("takes repeated pairs for maps, with = in the value", () => {
    expect(endpoint("--headers", "a=1", "--headers", "b=x=y")).toMatchObject({
      headers: { a: "1", b: "x=y" },
    });
  });

  it("takes JSON with the words of REST for messages", () => {
    expect(key("--budget", '{"limit_usd": 5, "window": "day"}')).toEqual({
      budget: { limitUsd: 5, window: "BUDGET_WINDOW_DAY" },
    });
  });

  it.each([
    ["2026-12-01", "2026-12-01T00:00:00Z"],
    ["2026-12-01T01:00:00+01:00", "2026-12-01T00:00:00Z"],
  ])("takes the time %s", (text, time) => {
    expect(key("--expires-at", text)).toEqual({ expiresAt: time });
  });

  it("takes a boolean with or without its value", () => {
    const user = (...words: string[]) =>
      requestOf(AdminService, "UpdateUser", ["user_1", ...words]);
    expect(user("--disabled")).toEqual({ userId: "user_1", disabled: true });
    expect(user("--disabled", "false")).toEqual({ userId: "user_1", disabled: false });
  });

  it("says that a list is empty on purpose by the boolean beside it", () => {
    expect(key("--no-scopes")).toEqual({ scopesGiven: true });
    expect(key("--no-scopes", "--scopes", "teams:read")).toEqual({ scopes: ["SCOPE_TEAMS_READ"] });
  });

  it("says what shall have no value by the field mask, beside what is set", () => {
    expect(keyChange("key_1", "--name", "n", "--no-budget", "--no-allowed-models")).toEqual({
      id: "key_1",
      name: "n",
      updateMask: "name,allowedModels,budget",
    });
    expect(keyChange("key_1", "--name", "n")).toEqual({ id: "key_1", name: "n" });
  });

  it.each([
    [["--scopes", "everything"], "must be one of gateway:invoke, teams:read"],
    [["--route", "mine"], "must be one of byo, credits, auto"],
    [["--expires-at", "tomorrow"], "must be a time such as"],
    [["--budget", "5"], 'must be {"limit_usd": …, "window": day|month|total}'],
    [["--budget", "{"], 'must be {"limit_usd": …, "window": day|month|total}'],
    [["--budget", '{"limit": 5}'], 'key "limit" is unknown'],
    [["--unknown", "x"], "unknown option '--unknown'"],
  ])("refuses the options %j and says why", (words, message) => {
    expect(() => key(...words)).toThrow(message);
  });

  it("refuses what is missing, no pair, no number and too large a number", () => {
    expect(() => requestOf(UpstreamService, "CreateUpstream", ["--label", "x"])).toThrow(
      "--base-url",
    );
    expect(() => endpoint("--headers", "a:1")).toThrow("must be name=value");
    const list = (limit: string) => requestOf(UpstreamService, "ListUpstreams", ["--limit", limit]);
    expect(list("7")).toEqual({ limit: 7 });
    expect(() => list("seven")).toThrow("must be a whole number");
    expect(() => list("99999999999")).toThrow("out of range");
  });
});
