import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { ensureProgram, type RequiredProgram } from "../../../scripts/ensure-program.ts";
import { baseImages, makeBaseImages } from "./base-images.ts";
import { Builder } from "./builder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the images. */
    imageStore: string;
  }
}

/** Name of the image that is tested. */
export const testedImage = "localhost/causeway";

/** Builds the image of this repository. */
export default async function buildImage(project: TestProject): Promise<() => Promise<void>> {
  await ensureProgram(debianProgram("buildah"));
  await ensureProgram(debianProgram("debootstrap"));
  const folder = await mkdtemp(join(tmpdir(), "causeway-container-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const builder = new Builder(folder);
    await makeBaseImages(builder, folder);
    await builder.build(testedImage, "Dockerfile", { ...baseImages, SOURCE: "repository" });
  } catch (error) {
    await remove();
    throw error;
  }
  project.provide("imageStore", folder);
  return remove;
}

function debianProgram(name: string): RequiredProgram {
  const missing = `These tests need root and ${name} (Debian: apt-get install ${name}).`;
  return { names: [name], debianPackage: name, missing };
}
