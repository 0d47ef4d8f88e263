/** Line from 1 of a member of an object or a list, by the way to it. */
export type JsonMemberLineLookup = (...path: readonly (string | number)[]) => number | undefined;

/** Members of an object by name, or of a list by number. */
type Members = Map<string | number, Member>;

interface Member {
  readonly line: number;
  readonly members: Members;
}

/** An object or a list that is open, and where in it the text is. */
interface Open {
  readonly isList: boolean;
  /** Undefined below the levels that are asked for. */
  readonly members: Members | undefined;
  /** Name of the member, or number of the element. */
  at: string | number;
  isNameNext: boolean;
}

/**
 * Finds on which line each member of the first levels of a JSON object stands,
 * two of them unless said. The text must be valid JSON; of repeated names the
 * last counts.
 */
export function createJsonMemberLineLookup(text: string, levels = 2): JsonMemberLineLookup {
  const top: Members = new Map();
  const open: Open[] = [];
  let line = 1;
  const note = ({ members, at }: Open) => members?.set(at, { line, members: new Map() });
  for (let at = 0; at < text.length; at += 1) {
    const inner = open.at(-1);
    switch (text[at]) {
      case "\n":
        line += 1;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (inner?.isNameNext === true) {
          inner.at = String(JSON.parse(text.slice(at, end)));
          inner.isNameNext = false;
          note(inner);
        }
        at = end - 1;
        break;
      }
      case "{":
      case "[": {
        if (inner?.isList === true) note(inner);
        const isList = text[at] === "[";
        const members = inner === undefined ? top : inner.members?.get(inner.at)?.members;
        const isWanted = open.length < levels;
        open.push({
          isList,
          members: isWanted ? members : undefined,
          at: isList ? 0 : "",
          isNameNext: !isList,
        });
        break;
      }
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (inner !== undefined) next(inner);
        break;
    }
  }
  return lineFinder(top);
}

function next(open: Open): void {
  if (typeof open.at === "number") open.at += 1;
  open.isNameNext = !open.isList;
}

/** Offset behind the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** Consecutive paths share how they begin: long names are compared once, not for each member. */
function lineFinder(top: Members): JsonMemberLineLookup {
  const known: { readonly step: string | number; readonly member: Member | undefined }[] = [];
  return (...path) => {
    for (const [at, step] of path.entries()) {
      if (known[at]?.step === step) continue;
      const above = at === 0 ? top : known[at - 1]?.member?.members;
      known.splice(at, known.length, { step, member: above?.get(step) });
    }
    return known[path.length - 1]?.member?.line;
  };
}
