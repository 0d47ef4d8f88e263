import { describe, expect, it } from "vitest";
import { withoutSecrets } from "../../../src/cli/audit/shown-text.ts";

describe("withoutSecrets", () => {
  it.each([
    ["https://user:token@host/a", "https://***@host/a"],
    ["a @ git+https://token@host/r.git@v1", "a @ git+https://***@host/r.git@v1"],
    ["https://user:pa/ss@host/a", "https://***@host/a"],
    ["https://user:pa://ss@host/a", "https://***@://***@host/a"],
    ["https://user:passwo…", "https://***@"],
    ["https://host:8080/a", "https://host:8080/a"],
    ["git+https://host/r.git@v1", "git+https://host/r.git@v1"],
    ["https://host/a?token=b#egg=c", "https://host/a?***#egg=c"],
    ["https://host/a?to=https://other/b", "https://host/a?***"],
    ["pkg:npm/a?repository_url=b", "pkg:npm/a?***"],
    ["github:token@owner/repo", "github:***@owner/repo"],
    ['"here": "file:here"', '"here": "file:here"'],
    ["left-pad", "left-pad"],
  ])("masks the secrets of %j", (text, masked) => {
    expect(withoutSecrets(text)).toBe(masked);
  });

  it.each(["://0", ":gist:0", "://?", "://#", "://?#", "@", "https://a:b"])(
    "masks 40,000 times %j in linear time",
    (part) => {
      const [short, long] = [5000, 40_000].map((count) => {
        const text = part.repeat(count);
        const start = performance.now();
        withoutSecrets(text);
        return performance.now() - start;
      });
      expect(long).toBeLessThan(Math.max(short ?? 0, 5) * 30);
    },
  );
});
