import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** Each argument takes a place on the stack, which overflows beyond some 100,000. */
const spreadArguments =
  /\.(?:push|unshift|splice|concat|fromCharCode|fromCodePoint|max|min)\((?:[^(){}]*,)?\s*\.\.\./;

/** Files whose spread lists have a size that the server itself decides. */
const bounded = new Set([
  // Printed for the terminal of the one who asks.
  "src/cli/conformance/conformance-text.ts",
  "src/cli/format-result.ts",
  // The fields of a message of the contract.
  "src/contract/json/encode-message.ts",
  // Headers.
  "src/gateway/call/call-response-headers.ts",
  "src/gateway/call/caller-response.ts",
  "src/gateway/upstream/call-target.ts",
  // Limits of the configuration.
  "src/gateway/http/register-model-routes.ts",
  // The few names of one model or runtime.
  "src/platform/find-nearest.ts",
]);

it("Calls spread only lists into their arguments whose size no stranger decides", () => {
  const found = globSync("src/**/*.ts", { cwd: root })
    .filter((file) => !bounded.has(file))
    .filter((file) => spreadArguments.test(readFileSync(join(root, file), "utf8")));
  expect(found, "use appendAll of src/platform/append-all.ts").toEqual([]);
});
