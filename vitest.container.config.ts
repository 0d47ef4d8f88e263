import { defineConfig } from "vitest/config";

/**
 * `npm run test:container`: the image, built from the Dockerfile and run. It is no part of
 * `npm test`, because it makes base images of Debian's packages, as root, and takes minutes.
 */
export default defineConfig({
  test: {
    include: ["test/deploy/container/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test/deploy/container/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
