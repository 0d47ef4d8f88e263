import { findProgram, ensureProgram, type RequiredProgram } from "../../scripts/ensure-program.ts";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the browser. */
    chromium: string;
  }
}

const chromium: RequiredProgram = {
  names: ["chromium", "chromium-browser", "google-chrome"],
  debianPackage: "chromium",
  missing:
    "These tests need Chromium: put `chromium` on the PATH (Debian: apt-get install chromium).",
};

/** Sees to it that there is a browser. */
export default async function provideBrowser(project: TestProject): Promise<void> {
  await ensureProgram(chromium);
  project.provide("chromium", await findProgram(chromium));
}
