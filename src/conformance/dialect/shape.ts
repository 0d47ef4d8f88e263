/** Collects what is wrong with a value. */
export class ConformanceViolationCollector {
  readonly faults: string[] = [];

  /** Notes the sentence unless it holds. */
  expect(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault);
  }
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Unix seconds of this century; milliseconds are a frequent mistake. */
export function isUnixTime(value: unknown): boolean {
  return typeof value === "number" && value > 0 && value < 100_000_000_000;
}

/** Whether the text is a JSON object. */
export function isJsonObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
