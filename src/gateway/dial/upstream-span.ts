import type { Tracer, UpstreamSpan } from "../../platform/telemetry/tracer.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { DialTarget } from "./dial-target.ts";

/** Starts the span of a call to an upstream; undefined when nothing is traced. */
export function startUpstreamSpan(
  tracer: Tracer,
  { serverSpan, surface }: ModelCall,
  { origin }: DialTarget,
): UpstreamSpan | undefined {
  if (!tracer.enabled) return undefined;
  const { hostname, port, protocol } = new URL(origin);
  return tracer.startUpstreamSpan(serverSpan, {
    method: "POST",
    host: hostname,
    port: Number(port) || (protocol === "https:" ? 443 : 80),
    dialect: surface.dialect,
  });
}
