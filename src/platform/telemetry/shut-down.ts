import { withTimeoutFallback } from "../with-timeout.ts";

/** How long the last spans and metrics may take on their way out. */
const closeMs = 5000;

/** Sends what is left. A collector that is away must not keep the process from ending. */
export async function shutDownTelemetryProvider(provider: {
  shutdown(): Promise<void>;
}): Promise<void> {
  await withTimeoutFallback(provider.shutdown(), closeMs, undefined).catch(() => undefined);
}
