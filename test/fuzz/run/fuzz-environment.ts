import { sampleDocument } from "../../depshealth/eol/sample.ts";
import { startFakeSources } from "../../support/fake-sources/fake-sources.ts";
import { serveNpm } from "../../support/fake-sources/packages.ts";
import { ServerUnderTest, type ServerUnderTestOptions } from "./server-under-test.ts";
import { startFuzzUpstream, type FuzzUpstream } from "./fake-upstream.ts";

/** A server and all that it can reach. */
export interface FuzzEnvironment {
  readonly target: ServerUnderTest;
  readonly double: FuzzUpstream;
  end(): Promise<void>;
}

/** Starts it all on loopback. */
export async function startFuzzEnvironment(
  options: Pick<ServerUnderTestOptions, "databaseUrl" | "workers"> = {},
): Promise<FuzzEnvironment> {
  const double = await startFuzzUpstream();
  const sources = await startFakeSources();
  serveNpm(sources, { name: "left", versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }] });
  sources.serve("/endoflife/api/v1/products/full", { text: sampleDocument() });
  const stopDoubles = async () => void (await Promise.all([double.close(), sources.close()]));
  try {
    const target = await ServerUnderTest.start({
      ...options,
      upstreamOrigin: double.origin,
      packageSources: sources.configuration(),
    });
    const end = async () => {
      await target.end();
      await stopDoubles();
    };
    return { target, double, end };
  } catch (error) {
    await stopDoubles();
    throw error;
  }
}
