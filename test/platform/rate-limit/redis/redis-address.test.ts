import { describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../../src/platform/rate-limit/redis/redis-address.ts";

function plain(text: string) {
  const address = parseRedisAddress(text);
  return address && { ...address, password: address.password?.reveal() };
}

const nobody = { username: undefined, password: undefined };

describe("parseRedisAddress()", () => {
  it.each([
    ["redis://cache", { host: "cache", port: 6379, isEncrypted: false, ...nobody, database: 0 }],
    [
      "rediss://cache.example:6380/15",
      { host: "cache.example", port: 6380, isEncrypted: true, ...nobody, database: 15 },
    ],
    [
      "redis://ada:p%40ss%2Fword@10.0.0.1:1/",
      {
        host: "10.0.0.1",
        port: 1,
        isEncrypted: false,
        username: "ada",
        password: "p@ss/word",
        database: 0,
      },
    ],
    [
      "redis://:secret@[::1]:6379/1",
      {
        host: "::1",
        port: 6379,
        isEncrypted: false,
        username: undefined,
        password: "secret",
        database: 1,
      },
    ],
  ])("reads %s", (text, address) => {
    expect(plain(text)).toEqual(address);
  });

  it.each([
    "cache:6379",
    "http://cache:6379",
    "redis://",
    "redis:///1",
    "redis:cache",
    "redis://cache:99999",
    "redis://cache:port",
    "redis://cache/name",
    "redis://cache/1/2",
    "redis://cache?db=1",
    "redis://cache#1",
    "redis://:%zz@cache",
    "redis://us er@ca che",
  ])("refuses %s", (text) => {
    expect(parseRedisAddress(text)).toBeUndefined();
  });

  it("hides the password", () => {
    const address = parseRedisAddress("redis://ada:canary@cache");
    expect(JSON.stringify(address)).not.toContain("canary");
    expect(String(address?.password)).toBe("[redacted]");
  });
});
