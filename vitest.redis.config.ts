import { defineConfig } from "vitest/config";

/**
 * `npm run test:redis`: tests that need a Redis or Valkey server. They are no part of
 * `npm test`, because a stranger's machine may have none.
 */
export default defineConfig({
  test: {
    include: ["test/redis/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test/redis/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
