import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { closedPort } from "../../support/closed-port.ts";
import type { TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";

export interface Proxy {
  /** Of the gateways. */
  readonly url: string;
  readonly toolsUrl: string;
  close(): Promise<void>;
}

/** Starts nginx with `deploy/nginx.conf`, in which nothing but addresses and paths is replaced. */
export async function startProxy(gateways: readonly TestInstance[]): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-proxy-"));
  const ports = [await closedPort(), await closedPort()] as const;
  let text = await readFile("deploy/nginx.conf", "utf8");
  for (const [at, { url, toolsUrl }] of gateways.entries()) {
    text = text
      .replaceAll(`gateway-${at + 1}:8080`, new URL(url).host)
      .replaceAll(`gateway-${at + 1}:8081`, new URL(toolsUrl).host);
  }
  text = text
    .replace("listen 8080;", `listen 127.0.0.1:${ports[0]};`)
    .replace("listen 8081;", `listen 127.0.0.1:${ports[1]};`)
    .replaceAll("/tmp/", `${folder}/`)
    .replace("/dev/stdout", join(folder, "access.log"))
    .replace("/dev/stderr", join(folder, "error.log"));
  const file = join(folder, "nginx.conf");
  await writeFile(file, text);
  const words = ["-p", folder, "-c", file, "-g", "daemon off;"];
  const nginx = spawn(inject("nginx"), words, { stdio: "inherit" });
  const ended = once(nginx, "close");
  const url = `http://127.0.0.1:${ports[0]}`;
  await waitUntil(
    () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    10_000,
  );
  return {
    url,
    toolsUrl: `http://127.0.0.1:${ports[1]}`,
    close: async () => {
      nginx.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
