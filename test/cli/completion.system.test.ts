import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runCauseway } from "../support/causeway-process.ts";
import { startCompletingShell } from "../support/completing-shell.ts";
import { describeCompletion } from "../support/describe-completion.ts";

vi.setConfig({ testTimeout: 60_000 });

// Zsh and fish, which many machines lack, are in test/shells.
describeCompletion("bash");

describe("causeway completion", () => {
  it("completes in bash what stands behind a colon", async () => {
    const shell = await startCompletingShell("bash");
    onTestFinished(() => shell.close());
    const scopes = await shell.offered("causeway keys create --scopes teams:");
    expect(scopes.toSorted()).toEqual(["read", "write"]);
  });

  it("says which shells it knows", async () => {
    const { code, stderr } = await runCauseway(["completion", "tcsh"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Allowed choices are bash, zsh, fish.");
  });
});
