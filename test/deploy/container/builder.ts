import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { readTool, runTool } from "../../../scripts/run-tool.ts";

/** What a command in a container is started with. */
export interface ContainerOptions {
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * buildah with a store of its own. It needs no engine and no namespaces: what it runs is
 * root's own processes in another root directory, on the network of this machine.
 */
export class Builder {
  readonly #global: readonly string[];

  /** `folder`: where images and containers lie. */
  constructor(folder: string) {
    const places = ["--root", join(folder, "images"), "--runroot", join(folder, "run")];
    this.#global = [...places, "--storage-driver", "vfs"];
  }

  /** Runs a command of buildah and shows what it prints. */
  async run(...words: readonly string[]): Promise<void> {
    await runTool("buildah", [...this.#global, ...words]);
  }

  /** Runs a command of buildah; what it prints, trimmed. */
  async read(...words: readonly string[]): Promise<string> {
    return readTool("buildah", [...this.#global, ...words]);
  }

  /** Makes a container of an image; its id. */
  async from(image: string): Promise<string> {
    return this.read("from", "--pull-never", image);
  }

  /** Builds the image of a file and its folder. */
  async build(
    image: string,
    file: string,
    values: Readonly<Record<string, string>>,
  ): Promise<void> {
    const parameters = Object.entries(values).flatMap(([name, value]) => [
      "--build-arg",
      `${name}=${value}`,
    ]);
    const isolated = ["--isolation", "chroot", "--format", "docker", "--pull-never"];
    await this.run("build", ...isolated, ...parameters, "--file", file, "--tag", image, ".");
  }

  /** Starts a command in a container, as the image's user in its environment. */
  start(
    container: string,
    command: readonly string[],
    { environment = {} }: ContainerOptions = {},
  ): ChildProcess {
    const variables = Object.entries(environment).flatMap(([name, value]) => [
      "--env",
      `${name}=${value}`,
    ]);
    const words = ["run", "--isolation", "chroot", ...variables, container, "--", ...command];
    return spawn("buildah", [...this.#global, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  }
}
