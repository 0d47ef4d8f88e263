import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readTool, repository } from "../run-tool.ts";

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      dev: z.boolean().optional(),
    }),
  ),
});

/** Of CycloneDX what is changed here; all else stays as npm wrote it. */
const billSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ name: z.string() }) }),
  components: z.array(z.looseObject({ "bom-ref": z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

/**
 * A CycloneDX document of what the lock file installs for those who use the package. Nothing
 * has to be installed for it. npm's own `--omit dev` also leaves out what is needed by both
 * the program and its development, so the lock file's marks decide.
 */
export async function billOfMaterials(): Promise<object> {
  const words = ["--sbom-format", "cyclonedx", "--sbom-type", "application"];
  const bill = billSchema.parse(
    JSON.parse(await readTool("npm", ["sbom", ...words, "--package-lock-only"])),
  );
  const used = await usedPackages();
  const root = bill.dependencies.find(({ ref }) => ref.startsWith("causeway@"))?.ref ?? "";
  return {
    ...bill,
    // npm names it after the folder that it lies in.
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name: "causeway" } },
    components: bill.components.filter((component) => used.has(component["bom-ref"])),
    dependencies: bill.dependencies
      .filter(({ ref }) => ref === root || used.has(ref))
      .map((entry) => ({ ...entry, dependsOn: entry.dependsOn.filter((ref) => used.has(ref)) })),
  };
}

/** `name@version` of all that is not there for development alone. */
async function usedPackages(): Promise<Set<string>> {
  const lock = lockSchema.parse(
    JSON.parse(await readFile(join(repository, "package-lock.json"), "utf8")),
  );
  const entries = Object.entries(lock.packages).filter(
    ([path, { dev }]) => path !== "" && dev !== true,
  );
  return new Set(
    entries.map(([path, { name, version = "" }]) => {
      const installedAs = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return `${name ?? installedAs}@${version}`;
    }),
  );
}
