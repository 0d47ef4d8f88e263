/** Releases of a product in the shape of endoflife.date's API v1, newest first. */
export interface SampleRelease {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** A release; `eoasFrom` is left out where a product has no such column. */
export function release(
  name: string,
  members: Readonly<Record<string, unknown>> = {},
): SampleRelease {
  return {
    name,
    codename: null,
    label: name,
    releaseDate: "2024-04-24",
    isLts: false,
    ltsFrom: null,
    isEol: false,
    eolFrom: null,
    isMaintained: true,
    latest: { name: `${name}.9.0`, date: "2026-07-01", link: "https://a.example/notes" },
    custom: null,
    ...members,
  };
}

export function product(
  name: string,
  label: string,
  releases: readonly SampleRelease[],
  members: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    name,
    label,
    aliases: [],
    category: "lang",
    tags: [],
    identifiers: [],
    labels: { eoas: "Active Support", discontinued: null, eol: "Security Support", eoes: null },
    links: { icon: null, html: `https://a.example/${name}`, releasePolicy: null },
    releases,
    ...members,
  };
}

/** A small dataset with the forms that occur in the whole one. */
export const sampleProducts = [
  product(
    "nodejs",
    "Node.js",
    [
      release("26", {
        ltsFrom: "2026-10-28",
        eoasFrom: "2027-10-20",
        isEoas: false,
        eolFrom: "2029-04-30",
      }),
      release("24", {
        isLts: true,
        ltsFrom: "2025-10-28",
        eoasFrom: "2026-10-20",
        isEoas: false,
        eolFrom: "2028-05-01",
      }),
      release("22", {
        isLts: true,
        ltsFrom: "2024-10-29",
        eoasFrom: "2025-10-21",
        isEoas: true,
        eolFrom: "2027-04-30",
      }),
      // Extended support for money makes it "maintained".
      release("20", {
        isLts: true,
        ltsFrom: "2023-10-24",
        eoasFrom: "2024-10-22",
        isEoas: true,
        eolFrom: "2026-04-30",
        isEol: true,
        isEoes: false,
        eoesFrom: "2027-04-30",
        isMaintained: true,
      }),
    ],
    { aliases: ["node", "node.js"] },
  ),
  product("python", "Python", [
    release("3.13", { eoasFrom: "2026-10-01", eolFrom: "2029-10-31" }),
    release("3.11", { eoasFrom: "2024-04-01", isEoas: true, eolFrom: "2027-10-31" }),
    release("3.10", { eoasFrom: "2023-04-05", isEoas: true, eolFrom: "2026-10-31", isEol: false }),
  ]),
  product("go", "Go", [release("1.26", {}), release("1.24", { isEol: true, latest: null })], {
    aliases: ["golang"],
  }),
  product("windows", "Microsoft Windows", [release("10-22h2", { eolFrom: "2025-10-14" })]),
  product("oracle-jdk", "Oracle JDK", [release("25", { isLts: true })]),
  product(
    "log4j",
    "Apache Log4j",
    [
      release("2", {}),
      release("2.3", { eolFrom: "2015-09-20" }),
      release("1", { eolFrom: "2015-10-15", isEol: true }),
    ],
    {
      identifiers: [
        { type: "purl", id: "pkg:maven/org.apache.logging.log4j/log4j-core" },
        { type: "purl", id: "pkg:maven/log4j/log4j" },
        { type: "repology", id: "log4j" },
      ],
    },
  ),
  product("gorilla", "Gorilla Toolkit", [release("1", { isEol: true })], {
    identifiers: [{ type: "purl", id: "pkg:golang/github.com/gorilla/mux" }],
  }),
  product("angular", "Angular", [release("21", {}), release("19", { eolFrom: "2026-05-19" })], {
    identifiers: [{ type: "purl", id: "pkg:npm/%40angular/core" }],
  }),
  product(
    "protractor",
    "Protractor",
    [release("7.0", { eolFrom: "2023-08-31" }), release("5.0", { eolFrom: "2023-08-31" })],
    {
      identifiers: [{ type: "purl", id: "pkg:npm/protractor" }],
    },
  ),
];

/** The document `/products/full` with these products. */
export function sampleDocument(products: readonly unknown[] = sampleProducts): string {
  return JSON.stringify({
    schema_version: "1.2.1",
    generated_at: "2026-08-22T08:52:34+00:00",
    total: products.length,
    result: products,
  });
}
