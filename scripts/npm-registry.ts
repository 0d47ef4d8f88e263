import { readTool } from "./run-tool.ts";

/** Where npm installs from on this machine. */
export interface NpmRegistry {
  readonly url: string;
  /** File of certificate authorities that it is trusted by beside the public ones; undefined: none. */
  readonly authorities: string | undefined;
}

/** Asks npm, and for authorities the environment of Node first. */
export async function npmRegistry(): Promise<NpmRegistry> {
  const { NODE_EXTRA_CA_CERTS: known = "" } = process.env;
  const authorities = known === "" ? await npmSetting("cafile") : known;
  const url = await npmSetting("registry");
  return { url, authorities: authorities === "null" ? undefined : authorities };
}

function npmSetting(name: string): Promise<string> {
  return readTool("npm", ["config", "get", name]);
}
