import type { TestProject } from "vitest/node";
import {
  findProgram,
  provideProgram,
  type NeededProgram,
} from "../../../scripts/provide-program.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the proxy. */
    nginx: string;
  }
}

const nginx: NeededProgram = {
  names: ["nginx"],
  debianPackage: "nginx",
  missing: "These tests need nginx: put `nginx` on the PATH (Debian: apt-get install nginx).",
};

/** Sees to it that there is an nginx. */
export default async function provideProxy(project: TestProject): Promise<void> {
  await provideProgram(nginx);
  project.provide("nginx", await findProgram(nginx));
}
