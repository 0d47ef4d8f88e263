import { type VariantContext, type RunningVariant, baselineEndpoint } from "./variant.ts";

/** No server at all: the load client calls the mock upstream. */
export function direct(ground: VariantContext): RunningVariant {
  return {
    name: "direct",
    pids: [],
    readyMs: 0,
    endpoint: (call) => baselineEndpoint(ground.upstream.ports[call.upstream], call),
    stop: async () => {},
  };
}
