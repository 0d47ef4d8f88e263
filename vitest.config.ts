import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Takes most of a minute. */
const longest = "test/process/kill-streams.test.ts";

const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(longest);

/** Where no earlier run has told how long files take, the longest would come late and run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // They need more than npm installs: vitest.redis.config.ts, vitest.shells.config.ts,
    // vitest.polyglot.config.ts, vitest.package.config.ts, vitest.proxy.config.ts,
    // vitest.container.config.ts.
    exclude: [
      ...configDefaults.exclude,
      "test/redis/**",
      "test/shells/**",
      "test/polyglot/**",
      "test/package/**",
      "test/deploy/proxy/**",
      "test/deploy/container/**",
    ],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Files share what they import, which takes most files longer than their tests do.
    isolate: false,
    // Much of the suite waits for sockets, timers and child processes: on two cores a
    // third worker takes a fifth off it.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
