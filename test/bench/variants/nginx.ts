import { findNginx, startNginx } from "../running/nginx.ts";
import type { MockUpstream } from "../upstream/mock-upstream.ts";
import { baselineEndpoint, type Variant } from "./variant.ts";

/** The reference for the cost of a native proxy. */
export const nginx: Variant = {
  name: "nginx",
  description: "nginx proxy_pass, keep-alive, no log",
  unavailable: () => (findNginx() === undefined ? "nginx is not installed" : undefined),
  async start({ stage, cores, upstream }, directory) {
    const { child, port } = await startNginx(stage, findNginx() ?? "nginx", {
      name: "nginx",
      directory,
      cores: cores?.server,
      http: (port) => proxy(port, upstream),
    });
    return {
      name: "nginx",
      pids: [child.pid],
      readyMs: child.readyMs,
      endpoint: (call) => baselineEndpoint(port, call),
      stop: () => child.stop(),
    };
  },
};

function proxy(port: number, { ports }: MockUpstream): string {
  return `${pool("answers", ports.answers)}
  ${pool("streams", ports.streams)}
  proxy_http_version 1.1;
  proxy_set_header connection "";
  server {
    listen 127.0.0.1:${port};
    location /answers/ { proxy_pass http://answers; }
    location /streams/ { proxy_pass http://streams; proxy_buffering off; }
  }`;
}

function pool(name: string, port: number): string {
  return `upstream ${name} { server 127.0.0.1:${port}; keepalive 512; keepalive_requests 1000000000; }`;
}
