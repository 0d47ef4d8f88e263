import { expandPropertyReferences } from "../document/expand-properties.ts";

/** Returns a text with the values of variables in it; those without a value stay. */
export function expandGradleVariables(
  text: string,
  variables: ReadonlyMap<string, string>,
): string {
  return expandPropertyReferences(
    text,
    /\$\{?(?:rootProject\.|project\.|ext\.)*(\w+)\}?/g,
    (name) => variables.get(name),
  );
}
