/** What is one name for the Python index is one here. */
export function normalizeProjectName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}
