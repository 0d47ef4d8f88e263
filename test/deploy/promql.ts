/** One selector of a query: `name{label="value"}`. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** What a query needs to be there. */
export interface QueryNeeds {
  readonly selectors: readonly Selector[];
  /** Labels by which it groups or joins. */
  readonly labels: readonly string[];
}

const token =
  /\s*(?:("(?:[^"\\]|\\.)*")|(\d+(?:\.\d+)?(?:ms|[smhdwy])?)|([a-zA-Z_:][\w:]*)|(=~|!~|!=|==|>=|<=|[-+*/%^(){}[\],<>=]))/y;
const grouping = new Set(["by", "without", "on", "ignoring", "group_left", "group_right"]);
const operators = new Set(["and", "or", "unless", "bool", "offset"]);
const pairs: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

/**
 * Reads which metrics and labels a PromQL query names. It knows the shapes of queries, not
 * what functions take; throws for what is no query.
 */
export function readQuery(query: string): QueryNeeds {
  const tokens = tokensOf(query.replaceAll("$__rate_interval", "5m"));
  checkPairs(tokens, query);
  const selectors: Selector[] = [];
  const labels: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const word = tokens[at] ?? "";
    const next = tokens[at + 1] ?? "";
    if (!/^[a-zA-Z_:]/.test(word) || operators.has(word)) continue;
    if (grouping.has(word)) {
      const end = tokens.indexOf(")", at);
      labels.push(...tokens.slice(at + 2, end).filter((it) => it !== ","));
      at = end;
    } else if (next === "{") {
      const end = tokens.indexOf("}", at);
      selectors.push({ metric: word, matchers: matchersOf(tokens.slice(at + 2, end), query) });
      at = end;
    } else if (next !== "(" && !grouping.has(next)) {
      selectors.push({ metric: word, matchers: [] });
    }
  }
  return { selectors, labels };
}

function tokensOf(query: string): string[] {
  const found: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < query.trimEnd().length) {
    const from = token.lastIndex;
    const match = token.exec(query);
    if (match === null) throw new Error(`No PromQL from column ${from + 1} on: ${query}`);
    found.push(match[0].trim());
  }
  return found;
}

function checkPairs(tokens: readonly string[], query: string): void {
  const open: string[] = [];
  for (const it of tokens) {
    const closing = pairs[it];
    if (closing !== undefined) open.push(closing);
    else if (/^[)}\]]$/.test(it) && open.pop() !== it) throw new Error(`Unpaired ${it}: ${query}`);
  }
  if (open.length > 0) throw new Error(`${open.join("")} is missing: ${query}`);
}

function matchersOf(tokens: readonly string[], query: string): Matcher[] {
  const matchers: Matcher[] = [];
  for (let at = 0; at < tokens.length; at += 4) {
    const [label = "", operator = "", value = "", comma = ","] = tokens.slice(at, at + 4);
    if (!/^(?:=~|!~|!=|=)$/.test(operator) || !value.startsWith('"') || comma !== ",") {
      throw new Error(`No matcher at ${label}: ${query}`);
    }
    matchers.push({ label, operator, value: JSON.parse(value) as string });
  }
  return matchers;
}
