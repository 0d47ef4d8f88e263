import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import {
  egressAllowListFromAddresses,
  parseEgressAllowList,
} from "../../../src/platform/dial/allow-list.ts";

describe("parseAllowList()", () => {
  it.each([
    ["127.0.0.1:11434", "127.0.0.1", 11434],
    ["[::1]:*", "::1", 1],
    ["[::1]:*", "::1", 65535],
    ["10.20.0.0/16:8000", "10.20.255.1", 8000],
    ["[fd00::/8]:443", "fd12::1", 443],
    ["[fd00::]/8:443", "fd12::1", 443],
    ["127.0.0.1:80", "::ffff:127.0.0.1", 80],
    [" 127.0.0.1:80 ", "127.0.0.1", 80],
  ])("[environment.allow] %s allows %s with port %d", (entry, address, port) => {
    expect(parseEgressAllowList([entry]).allowsAddress(ipaddr.parse(address), port)).toBe(true);
  });

  it.each([
    ["127.0.0.1:11434", "127.0.0.1", 11435],
    ["127.0.0.1:11434", "127.0.0.2", 11434],
    ["[::1]:*", "127.0.0.1", 80],
    ["10.20.0.0/16:8000", "10.21.0.1", 8000],
    ["localhost:80", "127.0.0.1", 80],
  ])("%s does not allow %s with port %d", (entry, address, port) => {
    expect(parseEgressAllowList([entry]).allowsAddress(ipaddr.parse(address), port)).toBe(false);
  });

  it("compares names as sent, without case and trailing dot", () => {
    const list = parseEgressAllowList(["GPU.Internal.:8000", "ollama:*"]);
    expect(list.allowsName("gpu.internal", 8000)).toBe(true);
    expect(list.allowsName("gpu.internal", 8001)).toBe(false);
    expect(list.allowsName("ollama", 1)).toBe(true);
    expect(list.allowsName("x.ollama", 1)).toBe(false);
  });

  it.each([
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:0",
    "127.0.0.1:65536",
    "127.0.0.1:http",
    "127.1:80",
    "2130706433:80",
    "0177.0.0.1:80",
    "::1:80",
    "[::1]",
    "[127.0.0.1]:80",
    "[localhost]:80",
    "10.0.0.0/33:80",
    "[fd00::/129]:80",
    "http://localhost:80",
    "*.example.com:443",
    "*:80",
    ":80",
    "a b:80",
    "user@host:80",
  ])("refuses %s and names the variable and the entry", (entry) => {
    expect(() => parseEgressAllowList(["127.0.0.1:1", entry])).toThrow(
      `CAUSEWAY_UPSTREAM_ALLOW: the entry "${entry}" must be host-or-CIDR:port`,
    );
  });
});

describe("egressAllowListFromAddresses()", () => {
  it("allows exactly the hosts and ports of operator-set addresses", () => {
    const list = egressAllowListFromAddresses([
      "http://127.0.0.1:9001/v1",
      "https://models.internal",
      "http://[::1]",
    ]);
    expect(list.allowsAddress(ipaddr.parse("127.0.0.1"), 9001)).toBe(true);
    expect(list.allowsAddress(ipaddr.parse("127.0.0.1"), 9002)).toBe(false);
    expect(list.allowsName("models.internal", 443)).toBe(true);
    expect(list.allowsAddress(ipaddr.parse("::1"), 80)).toBe(true);
  });
});
