import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Child } from "./child.ts";
import { findOnPath } from "./find-on-path.ts";
import { freePort } from "./free-port.ts";
import { readyPort } from "./ready-signs.ts";
import type { ProcessGroup } from "./process-group.ts";

/** Path of nginx, or undefined where it is not installed. */
export function findNginx(): string | undefined {
  return findOnPath("nginx");
}

/** What an nginx of the benchmark is started with. */
export interface NginxOptions {
  readonly name: string;
  /** Its working directory, made anew. */
  readonly directory: string;
  readonly cores: string | undefined;
  /** The `http` block's part that differs: upstreams, and a server that listens on `port`. */
  readonly http: (port: number) => string;
}

/** Starts nginx as one process that neither forks nor writes outside its directory. */
export async function startNginx(
  stage: ProcessGroup,
  nginx: string,
  options: NginxOptions,
): Promise<{ child: Child; port: number }> {
  const { name, directory, cores } = options;
  const port = await freePort();
  mkdirSync(join(directory, "temp"), { recursive: true });
  writeFileSync(join(directory, "nginx.conf"), configuration(directory, options.http(port)));
  const parameters = ["-p", directory, "-c", "nginx.conf", "-e", "stderr"];
  const ready = readyPort(port);
  const child = await stage.start({
    name,
    command: nginx,
    parameters,
    cores,
    ready,
    channel: false,
  });
  return { child, port };
}

function configuration(directory: string, http: string): string {
  const temp = (kind: string) => `${kind}_temp_path ${join(directory, "temp", kind)};`;
  return `
daemon off;
master_process off;
pid ${join(directory, "nginx.pid")};
error_log stderr warn;
events { worker_connections 4096; }
http {
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(temp).join("\n  ")}
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_max_body_size 64m;
  client_body_buffer_size 64k;
  ${http}
}
`;
}
