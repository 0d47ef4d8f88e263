import { defineConfig } from "vitest/config";

/**
 * `npm run test:polyglot`: programs in other languages against the server. They are no
 * part of `npm test`, because a stranger's machine may have neither Go nor Python.
 */
export default defineConfig({
  test: {
    include: ["test/polyglot/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test/polyglot/global-setup.ts"],
    // What the guide says may have to be downloaded first.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
