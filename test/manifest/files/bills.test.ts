import { describe, expect, it } from "vitest";
import { describeFile, type DescribedFile } from "./describe-file.ts";

function withoutLines({ packages, unparsed }: DescribedFile): unknown {
  return {
    packages: packages.map((row) => row.replace(/^\d+: /, "")),
    unparsed: unparsed.map((row) => row.replace(/^\d+: /, "")),
  };
}

/** Findings that every form of the same bill gives. */
const expected = {
  packages: [
    "@acme/app 1.2.0 direct production",
    "org.example:deep 3.0.1 transitive production [@acme/app@1.2.0 > org.example:deep@3.0.1]",
  ],
  unparsed: ["pkg:deb/debian/libc6@2.36: unsupported_registry: deb", "mystery@1: no_package_url"],
};

describe("a bill of materials", () => {
  it("[audit.formats] is CycloneDX in JSON, also with components within components", () => {
    const text = JSON.stringify(
      {
        bomFormat: "CycloneDX",
        specVersion: "1.6",
        metadata: { component: { "bom-ref": "mine", name: "mine", purl: "pkg:npm/mine@0.1.0" } },
        components: [
          { "bom-ref": "a", name: "app", purl: "pkg:npm/%40acme/app@1.2.0" },
          {
            "bom-ref": "c",
            name: "libc6",
            purl: "pkg:deb/debian/libc6@2.36",
            components: [
              { "bom-ref": "b", name: "deep", purl: "pkg:maven/org.example/deep@3.0.1?type=jar" },
            ],
          },
          { "bom-ref": "d", name: "mystery", version: "1" },
        ],
        dependencies: [
          { ref: "mine", dependsOn: ["a"] },
          { ref: "a", dependsOn: ["b"] },
        ],
      },
      undefined,
      1,
    );
    const described = describeFile("cyclonedx.json", text);
    expect(withoutLines(described)).toEqual(expected);
    expect(described.packages.map((row) => row.split(":")[0])).toEqual(["12", "17"]);
  });

  it("is CycloneDX in XML", () => {
    const text = `<?xml version="1.0"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6">
  <metadata><component type="application" bom-ref="mine"><name>mine</name></component></metadata>
  <components>
    <component type="library" bom-ref="a"><name>app</name><purl>pkg:npm/%40acme/app@1.2.0</purl></component>
    <component type="library" bom-ref="b">
      <name>deep</name>
      <purl>pkg:maven/org.example/deep@3.0.1?type=jar&amp;classifier=x</purl>
    </component>
    <component type="library" bom-ref="c"><name>libc6</name><purl>pkg:deb/debian/libc6@2.36</purl></component>
    <component type="library" bom-ref="d"><name>mystery</name><version>1</version></component>
  </components>
  <dependencies>
    <dependency ref="mine"><dependency ref="a"/></dependency>
    <dependency ref="a"><dependency ref="b"/></dependency>
  </dependencies>
</bom>
`;
    const described = describeFile("cyclonedx.xml", text);
    expect(withoutLines(described)).toEqual(expected);
    expect(described.packages.map((row) => row.split(":")[0])).toEqual(["5", "6"]);
  });

  it("is SPDX in JSON, with relations either way", () => {
    const reference = (locator: string) => [
      { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: locator },
    ];
    const text = JSON.stringify({
      spdxVersion: "SPDX-2.3",
      packages: [
        { SPDXID: "SPDXRef-mine", name: "mine" },
        { SPDXID: "SPDXRef-a", name: "app", externalRefs: reference("pkg:npm/%40acme/app@1.2.0") },
        {
          SPDXID: "SPDXRef-b",
          name: "deep",
          externalRefs: reference("pkg:maven/org.example/deep@3.0.1"),
        },
        {
          SPDXID: "SPDXRef-c",
          name: "libc6",
          externalRefs: reference("pkg:deb/debian/libc6@2.36"),
        },
        { SPDXID: "SPDXRef-d", name: "mystery", versionInfo: "1" },
      ],
      relationships: [
        {
          spdxElementId: "SPDXRef-DOCUMENT",
          relationshipType: "DESCRIBES",
          relatedSpdxElement: "SPDXRef-mine",
        },
        {
          spdxElementId: "SPDXRef-mine",
          relationshipType: "DEPENDS_ON",
          relatedSpdxElement: "SPDXRef-a",
        },
        {
          spdxElementId: "SPDXRef-b",
          relationshipType: "DEPENDENCY_OF",
          relatedSpdxElement: "SPDXRef-a",
        },
      ],
    });
    expect(withoutLines(describeFile("spdx.json", text))).toEqual(expected);
  });

  it("is SPDX as tags and values", () => {
    const text = `SPDXVersion: SPDX-2.3
PackageName: mine
SPDXID: SPDXRef-mine
PackageComment: <text>A text of lines.
PackageName: not-this
</text>
PackageName: app
SPDXID: SPDXRef-a
ExternalRef: PACKAGE-MANAGER purl pkg:npm/%40acme/app@1.2.0
PackageName: deep
SPDXID: SPDXRef-b
ExternalRef: PACKAGE_MANAGER purl pkg:maven/org.example/deep@3.0.1
PackageName: libc6
SPDXID: SPDXRef-c
ExternalRef: PACKAGE-MANAGER purl pkg:deb/debian/libc6@2.36
PackageName: mystery
SPDXID: SPDXRef-d
PackageVersion: 1
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-mine
Relationship: SPDXRef-mine DEPENDS_ON SPDXRef-a
Relationship: SPDXRef-a DEPENDS_ON SPDXRef-b
`;
    const described = describeFile("spdx", text);
    expect(withoutLines(described)).toEqual(expected);
    expect(described.packages.map((row) => row.split(":")[0])).toEqual(["7", "10"]);
  });

  it("without relations does not say what is direct", () => {
    const text = JSON.stringify({
      bomFormat: "CycloneDX",
      components: [{ name: "app", purl: "pkg:cargo/app@1.2.0" }],
    });
    expect(describeFile("cyclonedx.json", text).packages).toEqual(["1: app 1.2.0 unknown "]);
  });

  it.each([
    [
      "cyclonedx.json",
      JSON.stringify({
        bomFormat: "CycloneDX",
        metadata: {
          component: {
            name: "mine",
            components: [
              { name: "a", purl: "pkg:npm/a@1", components: [{ name: "b", purl: "pkg:npm/b@1" }] },
            ],
          },
        },
      }),
    ],
    [
      "cyclonedx.xml",
      "<bom><metadata><component><name>mine</name><components><component><name>a</name><purl>pkg:npm/a@1</purl><components><component><name>b</name><purl>pkg:npm/b@1</purl></component></components></component></components></component></metadata></bom>",
    ],
  ])("has components of the whole in a %s", (format, text) => {
    expect(describeFile(format, text)).toEqual({
      packages: ["1: a 1 unknown ", "1: b 1 unknown "],
      unparsed: [],
    });
  });

  it("has all components of one id, also of the id of the whole", () => {
    const same = (name: string) => ({ "bom-ref": "x", name, purl: `pkg:npm/${name}@1` });
    const text = JSON.stringify({
      bomFormat: "CycloneDX",
      metadata: { component: { "bom-ref": "x", name: "mine" } },
      components: [same("a"), same("b")],
      dependencies: [{ ref: "x", dependsOn: ["x"] }],
    });
    expect(describeFile("cyclonedx.json", text).packages).toEqual([
      "1: a 1 direct production",
      "1: b 1 direct production",
    ]);
  });

  it.each(["https://index.example/maven", "index.example/maven"])(
    "names the host of the registry %s of a package URL",
    (address) => {
      const purl = `pkg:maven/g/a@1?type=jar&repository_url=${encodeURIComponent(address)}`;
      const text = JSON.stringify({ bomFormat: "CycloneDX", components: [{ name: "a", purl }] });
      expect(describeFile("cyclonedx.json", text)).toEqual({
        packages: ["1: g:a 1 unknown "],
        unparsed: ["1: index.example: registry: 1 of its packages may come from this host"],
      });
    },
  );

  it.each([
    [
      "spdx.json",
      JSON.stringify({
        spdxVersion: "SPDX-2.3",
        packages: [
          {
            SPDXID: "SPDXRef-a",
            name: "a",
            externalRefs: ["npm/a@1", "pypi/b@2", "deb/c@3"].map((url) => ({
              referenceType: "purl",
              referenceLocator: `pkg:${url}`,
            })),
          },
        ],
      }),
    ],
    [
      "spdx",
      "SPDXVersion: SPDX-2.3\nPackageName: a\nSPDXID: SPDXRef-a\nExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1\nExternalRef: PACKAGE-MANAGER purl pkg:pypi/b@2\nExternalRef: PACKAGE-MANAGER purl pkg:deb/c@3\n",
    ],
  ])("has all package URLs of a package of a %s", (format, text) => {
    expect(withoutLines(describeFile(format, text))).toEqual({
      packages: ["a 1 unknown ", "b 2 unknown "],
      unparsed: ["pkg:deb/c@3: unsupported_registry: deb"],
    });
  });

  it("has the packages without needs of a document that describes several", () => {
    const packages = ["mine", "a"].map((name) => ({
      SPDXID: `SPDXRef-${name}`,
      name,
      externalRefs: [{ referenceType: "purl", referenceLocator: `pkg:npm/${name}@1` }],
    }));
    const text = JSON.stringify({
      spdxVersion: "SPDX-2.3",
      packages,
      documentDescribes: ["SPDXRef-mine", "SPDXRef-a"],
      relationships: [
        {
          spdxElementId: "SPDXRef-mine",
          relationshipType: "DEPENDS_ON",
          relatedSpdxElement: "SPDXRef-a",
        },
      ],
    });
    expect(describeFile("spdx.json", text).packages).toEqual(["1: a 1 direct production"]);
  });

  it.each([
    ["cyclonedx.json", { bomFormat: "CycloneDX", components: { a: { name: "a" } } }],
    ["cyclonedx.json", { bomFormat: "CycloneDX", components: ["pkg:npm/a@1"] }],
    ["spdx.json", { spdxVersion: "SPDX-2.3", packages: { a: { name: "a" } } }],
  ])("is refused as a %s if its list is %j", (format, bill) => {
    expect(() => describeFile(format, JSON.stringify(bill))).toThrow("invalid_bill");
  });
});
/** A bill of one component in each format. */
function billsOf(component: {
  readonly purl: string;
  readonly version?: string;
}): readonly (readonly [format: string, text: string])[] {
  const { purl, version } = component;
  const reference = { referenceType: "purl", referenceLocator: purl };
  const versionInfo = version === undefined ? "" : `PackageVersion: ${version}\n`;
  const versionElement = version === undefined ? "" : `<version>${version}</version>`;
  return [
    [
      "cyclonedx.json",
      JSON.stringify({ bomFormat: "CycloneDX", components: [{ name: "a", purl, version }] }),
    ],
    [
      "cyclonedx.xml",
      `<bom><components><component><name>a</name>${versionElement}<purl>${purl}</purl></component></components></bom>`,
    ],
    [
      "spdx.json",
      JSON.stringify({
        spdxVersion: "SPDX-2.3",
        packages: [{ SPDXID: "x", name: "a", versionInfo: version, externalRefs: [reference] }],
      }),
    ],
    [
      "spdx",
      `SPDXVersion: SPDX-2.3\nPackageName: a\n${versionInfo}ExternalRef: PACKAGE-MANAGER purl ${purl}\n`,
    ],
  ];
}

describe.each(["cyclonedx.json", "cyclonedx.xml", "spdx.json", "spdx"])(
  "a component of a %s",
  (format) => {
    const describeOne = (purl: string, version?: string): unknown => {
      const [, text] =
        billsOf({ purl, ...(version !== undefined && { version }) }).find(
          ([name]) => name === format,
        ) ?? [];
      return withoutLines(describeFile(format, text ?? ""));
    };

    it("has its own version if its package URL has none", () => {
      const packages = ["a 1.0.0 unknown "];
      expect(describeOne("pkg:npm/a", "1.0.0")).toEqual({ packages, unparsed: [] });
    });

    it.each(["NOASSERTION", "NONE"])("has no version %s", (version) => {
      expect(describeOne("pkg:npm/a", version)).toEqual({
        packages: ["a () unknown "],
        unparsed: [],
      });
    });

    it("has a range as what is asked for", () => {
      const packages = ["a (^ 1.2.0) unknown "];
      expect(describeOne("pkg:npm/a", "^ 1.2.0")).toEqual({ packages, unparsed: [] });
      expect(describeOne("pkg:npm/a@%5E%201.2.0")).toEqual({ packages, unparsed: [] });
    });

    it("has the version of its package URL, and reports another one of its own", () => {
      expect(describeOne("pkg:npm/a@1.0.0", "2.0.0")).toEqual({
        packages: ["a 1.0.0 unknown "],
        unparsed: ["a@1.0.0: version_differs: the component itself has another version"],
      });
    });

    it.each([
      ["1.0.0", "v1.0.0"],
      ["v1.0.0", "1.0.0"],
      ["1.0.0-RC1", "1.0.0-rc1"],
    ])("takes the versions %s and %s for one", (own, version) => {
      expect(describeOne(`pkg:npm/a@${own}`, version)).toMatchObject({ unparsed: [] });
    });

    it.each([
      ["pkg:npm/JSONThing@1", "JSONThing"],
      ["pkg:npm/%40Scope/Name@1", "@Scope/Name"],
      ["pkg:nuget/Some.Thing@1", "Some.Thing"],
      ["pkg:cargo/Inflector@1", "Inflector"],
      ["pkg:gem/RedCloth@1", "RedCloth"],
      ["pkg:golang/github.com/Masterminds/semver@1", "github.com/Masterminds/semver"],
      ["pkg:maven/g/A@1", "g:A"],
    ])("has the name of %s as it is written", (purl, name) => {
      expect(describeOne(purl)).toEqual({ packages: [`${name} 1 unknown `], unparsed: [] });
    });
  },
);

describe("an SPDX document of tags", () => {
  it.each(["# <text>", "PackageComment: as in <text>"])("has the packages behind %j", (line) => {
    const text = `SPDXVersion: SPDX-2.3\n${line}\nPackageName: a\nExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1\nPackageComment: <text>b</text>\n`;
    expect(describeFile("spdx", text).packages).toHaveLength(1);
  });
});

describe("the version of a component without one in its package URL", () => {
  const read = (purl: string, version: string) =>
    withoutLines(
      describeFile(
        "cyclonedx.json",
        JSON.stringify({
          bomFormat: "CycloneDX",
          components: [{ "bom-ref": "a", name: "a", version, purl }],
        }),
      ),
    );

  it.each([
    ["pkg:pypi/a", ">=1\nb==2"],
    ["pkg:pypi/a", ">=1 # b"],
    ["pkg:pypi/a", "1.0\nb==2"],
    ["pkg:npm/a", "npm:b@>=1"],
    ["pkg:npm/a", "npm:b@1.0.0"],
    ["pkg:cargo/a", ">=1\nb"],
  ])("is refused for %s if it is %j", (purl, version) => {
    const name = purl.split("/")[1] ?? "";
    expect(read(purl, version)).toMatchObject({
      packages: [],
      unparsed: [expect.stringMatching(new RegExp(`^${name}: invalid_specifier`))],
    });
  });

  it.each([
    ["pkg:pypi/a", ">=1, <2"],
    ["pkg:pypi/a", "1.0"],
    ["pkg:npm/a", "^1.0.0 || 2"],
    ["pkg:npm/a", "1.0.0"],
    ["pkg:cargo/a", "^1"],
  ])("is read for %s if it is %j", (purl, version) => {
    expect(read(purl, version)).toMatchObject({
      packages: [expect.stringMatching(/^a /)],
      unparsed: [],
    });
  });
});
