import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveRegistryAddresses } from "../../../src/depshealth/ecosystem/registry-addresses.ts";
import type { PackageReference } from "../../../src/depshealth/facts.ts";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { openFacts } from "../../support/fake-sources/open-facts.ts";
import { serveCargo, serveNuget, servePackagist } from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";

let fake: FakeSources;
beforeAll(async () => {
  fake = await startFakeSources();
});
afterAll(() => fake.close());

/** Ids of the advisories of a package. */
async function advisoriesOf(reference: PackageReference): Promise<readonly string[] | undefined> {
  const facts = openFacts(fake, { off: ["ecosystems", "depsdev"] });
  try {
    const { advisories } = await facts.one(reference);
    return advisories?.map(({ id }) => id);
  } finally {
    await facts.close();
  }
}

const version = { version: "1.0.0", at: "2026-01-01T00:00:00Z" };
const malware = [{ id: "MAL-1" }];

/** Registration of a package with the spelling of its id in each version, in pages of one version. */
function serveRespelled(
  versions: Readonly<Record<string, string>>,
  pages: "inline" | "apart",
): void {
  serveNuget(fake, { name: "case.evil", versions: [] });
  const base = `${fake.origin}/nuget/v3/registration/case.evil`;
  const items = Object.entries(versions).map(([number, id], index) => {
    const catalogEntry = { id, version: number, listed: true, published: version.at };
    const page = { "@id": `${base}/${index}.json`, count: 1, items: [{ catalogEntry }] };
    fake.serve(`/nuget/v3/registration/case.evil/${index}.json`, { json: page });
    return pages === "inline" ? page : { "@id": page["@id"], count: 1 };
  });
  fake.serve("/nuget/v3/registration/case.evil/index.json", { json: { items } });
}

/** The name with the letters in upper case at which the bits of a number are set. */
function respell(name: string, bits: number): string {
  return Array.from(name, (letter, index) =>
    (bits >> index) & 1 ? letter.toUpperCase() : letter,
  ).join("");
}

describe("the source of advisories, which compares names exactly,", () => {
  it.each(["inline", "apart"] as const)(
    "is asked for the id that a version was published under, in pages %s",
    async (pages) => {
      const spelled = Object.fromEntries(
        Array.from({ length: 12 }, (_, index) => [`2.0.${index}`, respell("case.evil", index + 2)]),
      );
      serveRespelled({ "1.0.0": "Case.Evil", ...spelled, "3.0.0": "case.evil" }, pages);
      serveOsv(fake, { "NuGet/Case.Evil@1.0.0": malware, "NuGet/Case.Evil@3.0.0": malware });
      const reference = { ecosystem: "nuget", name: "case.evil" } as const;
      expect(await advisoriesOf({ ...reference, version: "1.0.0" })).toEqual(["MAL-1"]);
      expect(await advisoriesOf({ ...reference, version: "3.0.0" })).toEqual(["MAL-1"]);
    },
  );

  it.each(["nuget", "packagist"] as const)(
    "is asked for the name as typed (%s)",
    async (ecosystem) => {
      const [name, filedAs] = {
        nuget: ["Typed.Name", "NuGet"],
        packagist: ["Typed/Name", "Packagist"],
      }[ecosystem];
      const serve = { nuget: serveNuget, packagist: servePackagist }[ecosystem];
      serve(fake, { name: (name ?? "").toLowerCase(), versions: [version] });
      serveOsv(fake, { [`${filedAs}/${name}@1.0.0`]: malware });
      expect(await advisoriesOf({ ecosystem, name: name ?? "" })).toEqual(["MAL-1"]);
    },
  );

  it("is asked for the name in the index of crates when their interface fails", async () => {
    serveCargo(fake, { name: "Inflector", versions: [version] });
    const { cargoName } = resolveRegistryAddresses({});
    serveOsv(fake, { [`${cargoName}/Inflector@1.0.0`]: malware });
    const repair = fake.fail("/cargo/api/", status(500));
    expect(await advisoriesOf({ ecosystem: "cargo", name: "inflector" })).toEqual(["MAL-1"]);
    repair();
  });

  it("leaves the advisories unknown when it fails for one of the names", async () => {
    serveNuget(fake, { name: "Half.Heard", versions: [version] });
    fake.serve("/osv/v1/querybatch", {
      answer: ({ body }, response) => {
        const { queries } = body as { queries: readonly { package: { name: string } }[] };
        const results = queries.map(({ package: named }) =>
          named.name === "Half.Heard" ? {} : null,
        );
        response.writeHead(200).end(JSON.stringify({ results }));
      },
    });
    expect(await advisoriesOf({ ecosystem: "nuget", name: "half.heard" })).toBeUndefined();
  });
});
