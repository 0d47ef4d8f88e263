import { ConfigurationError } from "./configuration-error.ts";

/**
 * The value with `${NAME}` replaced by the environment variable of that name,
 * in every string at any depth; keys stay. Throws a `ConfigurationError` that
 * names `setting` and the key for a variable that is not set.
 */
export function expandEnvironmentVariables(
  value: unknown,
  environment: NodeJS.ProcessEnv,
  setting: string,
  key = "",
): unknown {
  const expand = (item: unknown, itemKey: string): unknown =>
    expandEnvironmentVariables(item, environment, setting, itemKey);
  if (typeof value === "string") return expandText(value, environment, `${setting}: ${key}`);
  if (Array.isArray(value)) return value.map((item, index) => expand(item, `${key}[${index}]`));
  if (typeof value !== "object" || value === null) return value;
  const prefix = key === "" ? "" : `${key}.`;
  const members = Object.entries(value).map(([name, item]) => [name, expand(item, prefix + name)]);
  return Object.fromEntries(members);
}

function expandText(text: string, environment: NodeJS.ProcessEnv, setting: string): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) return value;
    throw new ConfigurationError(setting, `the environment variable ${name} is not set`);
  });
}
