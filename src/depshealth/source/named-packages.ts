import type { Ecosystem } from "../facts.ts";

/** A package that a text names in quotation marks, as code, or by a link. */
export interface PackageNameMention {
  readonly name: string;
  /** Where in the text the name, or its quoting, begins. */
  readonly index: number;
  /** The link leads to a page of the package. */
  readonly isPackageLink: boolean;
}

/** How a name looks in each ecosystem, whole. */
const names: Readonly<Record<Ecosystem, RegExp>> = {
  npm: /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/,
  pypi: /^[a-z0-9][\w.-]*$/i,
  cargo: /^[a-z][a-z0-9_-]*$/,
  rubygems: /^[a-z0-9][\w.-]*$/i,
  go: /^[a-z0-9][\w.-]*\.[a-z]{2,}(?:\/[\w.~-]+)+$/i,
  maven: /^[\w.-]+:[\w.-]+$/,
  nuget: /^[a-z0-9][\w.-]*$/i,
  packagist: /^[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*$/i,
};

/** A link with or without its address (where its label is defined is none), code, and what stands in quotation marks. */
const quoted =
  /\[(?<label>[^\]\n]{1,120})\](?!: ?http)(?:\((?<address>[^)\s]{1,300})\)|\[[^\]\n]{1,120}\])?|`(?<code>[^`\n]{1,120})`|["'“‘](?<words>[\w@./:~-]{1,120})["'”’]/g;

/** Pages of packages end so, whoever's site it is. */
const packagePage =
  /\/(?:crates|package|packages|project|gems)\/((?:@[\w.-]+\/)?[\w.-]+(?:\/[\w.-]+)?)\/?$/;

/** Links into a repository lead to what was written or done there. */
const noHomePage = /\/(?:issues|pull|commit|blob|wiki|releases|discussions)\//;

/** What follows the name of something that is no package. */
const noPackage =
  /^\s*(?:macro|function|method|trait|type|class|module of|feature|attribute|derive|flag|option|api)s?\b/i;

/** The packages that a text names, in their order. */
export function findPackageNameMentions(
  text: string,
  ecosystem: Ecosystem,
): readonly PackageNameMention[] {
  return [...text.matchAll(quoted)].flatMap((match) => {
    const { label, address, code, words } = match.groups ?? {};
    if (noPackage.test(text.slice(match.index + match[0].length))) return [];
    if (noHomePage.test(address ?? "")) return [];
    const page = packagePage.exec(address ?? "")?.[1];
    const name = page ?? (label ?? code ?? words ?? "").replaceAll("`", "").trim();
    if (!names[ecosystem].test(name) || isVersion(name)) return [];
    return [{ name, index: match.index, isPackageLink: page !== undefined }];
  });
}

/** Whether a word is wholly a name, of a form that other words have not. */
export function isUnmistakablePackageName(name: string, ecosystem: Ecosystem): boolean {
  return /[/:]/.test(name) && names[ecosystem].test(name);
}

function isVersion(name: string): boolean {
  return /^v?\d+(?:\.[\dx]+)*$/i.test(name);
}
