import { defineConfig } from "vitest/config";

/**
 * `npm run test:package`: the npm package in projects that are not this one, and in a
 * browser. It is no part of `npm test`, because it installs packages and needs Chromium.
 */
export default defineConfig({
  test: {
    include: ["test/package/**/*.test.ts"],
    globalSetup: ["test/package/global-setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
