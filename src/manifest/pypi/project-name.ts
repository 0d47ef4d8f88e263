/** What is one name for the Python index is one here. */
export function normalizePypiProjectName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}
