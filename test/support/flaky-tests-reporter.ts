import type { Reporter, TestCase } from "vitest/node";

/** Prints the tests that failed once and passed at the second try, with their errors. */
export class FlakyTestsReporter implements Reporter {
  readonly #flakyTests: TestCase[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) this.#flakyTests.push(test);
  }

  onTestRunEnd(): void {
    for (const test of this.#flakyTests) {
      const errors = test.result().errors ?? [];
      const messages = errors.map(({ stack, message }) => stack ?? message);
      const title = `${test.module.relativeModuleId}: ${test.fullName}`;
      process.stderr.write(`Flaky, passed at the second try: ${title}\n${messages.join("\n")}\n`);
    }
  }
}
