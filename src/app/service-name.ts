/** The two services: the model gateway, and the tools of dependency health. */
export type HttpServiceName = "gateway" | "tools";

/** The services that a word of the command line names; undefined for a word that names none. */
export function parseServiceSelection(word: string): readonly HttpServiceName[] | undefined {
  switch (word) {
    case "all":
      return ["gateway", "tools"];
    case "gateway":
    case "tools":
      return [word];
    default:
      return undefined;
  }
}
