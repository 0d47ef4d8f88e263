import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // They need a Redis server: vitest.redis.config.ts.
    exclude: [...configDefaults.exclude, "test/redis/**"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Much of the suite waits for sockets, timers and child processes.
    maxWorkers: 2,
  },
});
