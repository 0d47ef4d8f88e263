import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { FlakyTestsReporter } from "./test/support/flaky-tests-reporter.ts";

const database = "test/support/global-setup.ts";

/**
 * The name of a project is the suffix of its files: `pools.integration.test.ts`. Files
 * without one are unit tests: they open no socket and start no process.
 */
const suffixedProjects: Readonly<Record<string, TestProjectInlineConfiguration["test"]>> = {
  // Servers and their database in the worker's own process.
  integration: { globalSetup: [database] },
  // As integration, with more requests, members, bytes or cases than other tests need.
  load: { globalSetup: [database] },
  // Processes of their own: signals, kills, commands, guides.
  system: { globalSetup: [database] },
  // Times at n and 4n, of documents that strangers write.
  growth: { setupFiles: ["test/support/unit-guard.ts"], testTimeout: 120_000 },
  // Each of these installs a component or fails: see its global setup.
  redis: {
    globalSetup: [database, "test/redis/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
  shells: { globalSetup: ["test/shells/global-setup.ts"], testTimeout: 60_000 },
  polyglot: {
    globalSetup: [database, "test/polyglot/global-setup.ts"],
    // A guide may have to download packages first.
    testTimeout: 300_000,
  },
  package: {
    globalSetup: ["test/package/global-setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
  proxy: {
    globalSetup: [database, "test/deploy/proxy/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
  container: {
    globalSetup: [database, "test/deploy/container/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
};

const unit: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "unit",
    include: ["test/**/*.test.ts"],
    exclude: [
      ...configDefaults.exclude,
      ...Object.keys(suffixedProjects).map((name) => `test/**/*.${name}.test.ts`),
    ],
    setupFiles: ["test/support/unit-guard.ts"],
  },
};

export default defineConfig({
  test: {
    // Once for all projects, before their own.
    globalSetup: ["test/support/run-folder.ts"],
    projects: [
      unit,
      ...Object.entries(suffixedProjects).map(([name, test]) => ({
        extends: true as const,
        test: { name, include: [`test/**/*.${name}.test.ts`], ...test },
      })),
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // One race on a busy machine should not refuse a change. The reporter lists the tests
    // that needed a second try, so that they get repaired.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", new FlakyTestsReporter()],
    // Files share their imports, which take most files longer than their tests do.
    isolate: false,
    // Node imports the sources itself, as it does outside of tests. Vite's runner makes each use
    // of an import a call of a getter, which costs a quarter of the whole. `vi.mock` needs it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Much of the suite waits for sockets, timers and child processes: on two cores a
    // third worker takes a fifth off it.
    maxWorkers: 3,
    // Fewer collections of short-lived objects: about 5 % of the whole.
    execArgv: ["--max-semi-space-size=64"],
  },
});
