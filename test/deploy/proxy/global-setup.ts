import type { TestProject } from "vitest/node";
import {
  findProgram,
  ensureProgram,
  type RequiredProgram,
} from "../../../scripts/ensure-program.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the proxy. */
    nginx: string;
  }
}

const nginx: RequiredProgram = {
  names: ["nginx"],
  debianPackage: "nginx",
  missing: "These tests need nginx: put `nginx` on the PATH (Debian: apt-get install nginx).",
};

/** Sees to it that there is an nginx. */
export default async function provideProxy(project: TestProject): Promise<void> {
  await ensureProgram(nginx);
  project.provide("nginx", await findProgram(nginx));
}
