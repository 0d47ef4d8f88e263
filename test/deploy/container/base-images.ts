import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { npmRegistry } from "../../../scripts/npm-registry.ts";
import { runTool } from "../../../scripts/run-tool.ts";
import type { Builder } from "./builder.ts";

/** Stand-ins for the images that the Dockerfile begins with, by the names of its arguments. */
export const baseImages = {
  BASE_IMAGE: "localhost/debian",
  NODE_IMAGE: "localhost/node",
} as const;

/**
 * Makes them of what they are made of, Debian's packages and Node, so that no registry of
 * images is needed. `folder`: where Debian is laid out.
 */
export async function makeBaseImages(builder: Builder, folder: string): Promise<void> {
  await makeDebian(builder, join(folder, "debian"));
  await makeNode(builder);
}

async function makeDebian(builder: Builder, folder: string): Promise<void> {
  await mkdir(folder);
  await runTool("debootstrap", ["--variant=minbase", "bookworm", folder]);
  const container = await builder.read("from", "scratch");
  await builder.read("add", container, folder, "/");
  await builder.read("commit", "--rm", container, baseImages.BASE_IMAGE);
}

/** With the Node and the npm that run this, and what npm installs from. */
async function makeNode(builder: Builder): Promise<void> {
  const { npm_execpath: npmFile = "" } = process.env;
  const container = await builder.from(baseImages.BASE_IMAGE);
  await builder.read("copy", container, process.execPath, "/usr/local/bin/node");
  const npm = "/usr/local/lib/node_modules/npm";
  await builder.read("copy", container, dirname(dirname(npmFile)), npm);
  const link = ["ln", "--symbolic", `${npm}/bin/npm-cli.js`, "/usr/local/bin/npm"];
  await builder.run("run", "--isolation", "chroot", container, "--", ...link);
  const { url, authorities } = await npmRegistry();
  await builder.run("config", "--env", `npm_config_registry=${url}`, container);
  if (authorities !== undefined) {
    await builder.read("copy", container, authorities, authorities);
    await builder.run("config", "--env", `NODE_EXTRA_CA_CERTS=${authorities}`, container);
  }
  await builder.read("commit", "--rm", container, baseImages.NODE_IMAGE);
}
