import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 1 };
  causeway = await startTestInstance({
    file: {
      credits: {
        keys: { openai: "operator" },
        catalog: [
          { id: "sold", vendor: "openai", model: "m", ...price },
          { id: "no-key", vendor: "anthropic", model: "m", ...price },
          { id: "no-vendor", vendor: "opneai", model: "m", ...price },
        ],
      },
    },
  });
});

afterAll(() => causeway.close());

it("entries of the catalogue that nobody can call are named at the start, listed and refused", async () => {
  const warnings = causeway.logLines().filter(({ level }) => level === 40);
  expect(warnings).toMatchObject([
    { entry: "no-key", reason: "credits.keys has no anthropic" },
    { entry: "no-vendor", reason: "there is no vendor opneai" },
  ]);
  const { secret: token } = await (await causeway.createUser()).createKey();
  const { body } = await causeway.call("GET", "/v1/models", { token });
  const listed = body.data.filter(({ id }: { id: string }) => id.startsWith("no-"));
  expect(listed).toHaveLength(2);
  for (const { available, reason } of listed) {
    expect([available, reason]).toEqual([false, "no_vendor_credential"]);
  }
});
