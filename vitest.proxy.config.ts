import { defineConfig } from "vitest/config";

/**
 * `npm run test:proxy`: two gateways behind nginx, with the configuration of `deploy/`. It is
 * no part of `npm test`, because a stranger's machine may have no nginx.
 */
export default defineConfig({
  test: {
    include: ["test/deploy/proxy/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test/deploy/proxy/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
