/** The programs in Python of docs/official-clients.md. */
import { delimiter, dirname } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { readerWithVendor } from "../guides/reader-with-vendor.ts";
import { programPath } from "../support/causeway-process.ts";

describe.skipIf(inject("python") === "")("the official clients in Python", () => {
  it("call, stream and read a refusal", async () => {
    const PATH = [dirname(inject("python")), programPath].join(delimiter);
    const { reader, vendor } = await readerWithVendor({ environment: { ...pipSettings(), PATH } });
    await reader.follow("official-clients.md", "## Python");
    expect(vendor.exchanges.map(({ faults }) => faults)).toEqual([[], [], []]);
  });
});

/** Where pip finds packages on this machine. */
function pipSettings(): Record<string, string> {
  const settings = Object.entries(process.env).filter(([name]) => name.startsWith("PIP_"));
  return Object.fromEntries(settings.map(([name, value = ""]) => [name, value]));
}
