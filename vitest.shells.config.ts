import { defineConfig } from "vitest/config";

/**
 * `npm run test:shells`: tests that need zsh and fish. They are no part of `npm test`,
 * because a stranger's machine may have neither.
 */
export default defineConfig({
  test: {
    include: ["test/shells/**/*.test.ts"],
    globalSetup: ["test/shells/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
