/** A sentence about what Causeway does. */
export interface Requirement {
  /** Area and topic, `endpoints.slug-fixed`; `operation.<operation id>` for an operation. */
  readonly id: string;
  readonly sentence: string;
  /**
   * What holds it: `test/contract/paging.test.ts > a part of a title`. The part stands
   * in the file as it is, so it may be a template: `refuses %s`.
   */
  readonly tests: readonly string[];
}

type TestedRow = readonly [id: string, sentence: string, ...tests: string[]];

/**
 * Requirements that tests hold. A test is named by its file below `test/` without
 * `.test.ts` and a part of its title: `contract/paging > gives nulls`.
 */
export function tested(rows: readonly TestedRow[]): Requirement[] {
  return rows.map(([id, sentence, ...tests]) => ({ id, sentence, tests: tests.map(fullName) }));
}

function fullName(test: string): string {
  return test.replace(" > ", ".test.ts > ").replace(/^/, "test/");
}
