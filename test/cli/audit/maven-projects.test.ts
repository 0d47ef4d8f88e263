import { describe, expect, it } from "vitest";
import { audit, type Case } from "./audit-project.ts";

const artifact = (id: string, version = "") =>
  `<groupId>g</groupId><artifactId>${id}</artifactId>${version && `<version>${version}</version>`}`;
const dependencies = (id: string, version?: string) =>
  `<dependencies><dependency>${artifact(id, version)}</dependency></dependencies>`;
const management = (id: string, version: string) =>
  `<dependencyManagement>${dependencies(id, version)}</dependencyManagement>`;
const property = (value: string) => `<properties><v>${value}</v></properties>`;
const profile = (body: string) =>
  `<profile><activation><activeByDefault>true</activeByDefault></activation>${body}</profile>`;
const profiles = (...bodies: readonly string[]) =>
  `<profiles>${bodies.map(profile).join("")}</profiles>`;
const project = (...parts: readonly string[]) => `<project>\n${parts.join("\n")}\n</project>`;
const parent = `<parent>${artifact("parent", "1")}</parent>`;
const plugin = (configuration: string) =>
  `<build><plugins><plugin>${artifact("run", "1")}${configuration}</plugin></plugins></build>`;

const used = dependencies("a", "${v}");

describe("the audit of a pom.xml with modules", () => {
  const modules = (...names: readonly string[]) =>
    `<modules>${names.map((name) => `<module>${name}</module>`).join("")}</modules>`;

  it("reports a module that is not read", () => {
    const files = {
      "pom.xml": project(
        modules("a", "b/pom.xml", "c/other.xml", "gone", "${x}", "target/d"),
        profiles(modules("late/")),
      ),
      "a/pom.xml": project(dependencies("a", "1")),
      "b/pom.xml": project(dependencies("b", "1")),
      "c/other.xml": project(dependencies("c", "1")),
    };
    expect(audit(files)).toEqual({
      asked: ["g:a 1", "g:b 1"],
      unread: [
        "${x}/pom.xml:-: not_entered",
        "c/other.xml:-: not_entered",
        "gone/pom.xml:-: not_entered",
        "late/pom.xml:-: not_entered",
        "target/d:-: not_entered",
      ],
    });
  });
});

describe("the audit of a pom.xml and those around it", () => {
  it.each<[string, Case["files"], readonly string[]]>([
    [
      "a property of a profile",
      { "pom.xml": project(property("2"), used, profiles(property("1"))) },
      ["g:a 1", "g:a 2"],
    ],
    [
      "what a profile manages",
      {
        "pom.xml": project(management("a", "2"), dependencies("a"), profiles(management("a", "1"))),
      },
      ["g:a 1", "g:a 2"],
    ],
    [
      "a property of a child",
      { "pom.xml": project(property("2"), used), "b/pom.xml": project(parent, property("1")) },
      ["g:a 1", "g:a 2"],
    ],
    [
      "a property of a profile of a child",
      {
        "pom.xml": project(property("2"), used),
        "b/pom.xml": project(parent, profiles(property("1"))),
      },
      ["g:a 1", "g:a 2"],
    ],
    [
      "what a child manages",
      { "pom.xml": project(dependencies("a")), "b/pom.xml": project(parent, management("a", "1")) },
      ["g:a", "g:a 1"],
    ],
    [
      "a property of a profile of a parent",
      {
        "pom.xml": project(property("2"), profiles(property("1"))),
        "b/pom.xml": project(parent, used),
      },
      ["g:a 1", "g:a 2"],
    ],
    [
      "a child before a profile of its parent",
      {
        "pom.xml": project(profiles(property("1"))),
        "b/pom.xml": project(parent, property("2"), used),
      },
      ["g:a 2"],
    ],
    ["what is only managed", { "pom.xml": project(management("a", "1")) }, ["g:a 1"]],
    [
      "a processor of annotations",
      {
        "pom.xml": project(
          plugin(
            `<configuration><annotationProcessorPaths><path>${artifact("a", "1")}</path></annotationProcessorPaths></configuration>`,
          ),
        ),
      },
      ["g:a 1", "g:run 1"],
    ],
    [
      "an artifact of an execution, and none that a filter names",
      {
        "pom.xml": project(
          plugin(
            `<executions><execution><configuration><excludes><exclude>${artifact("b")}</exclude></excludes><artifactItems><artifactItem>${artifact("a", "1")}</artifactItem></artifactItems></configuration></execution></executions>`,
          ),
        ),
      },
      ["g:a 1", "g:run 1"],
    ],
  ])("asks about %s", (_what, files, asked) => {
    expect(audit(files)).toEqual({ asked, unread: [] });
  });

  it("applies the first 20 profiles that set versions, and counts that there are more", () => {
    const more = Array.from({ length: 21 }, (_, at) => property((at + 1).toString()));
    const { asked, unread } = audit({ "pom.xml": project(used, profiles(...more)) });
    expect(asked).toContain("g:a 20");
    expect(asked).not.toContain("g:a 21");
    expect(unread).toEqual(["pom.xml:-: too_many"]);
  });

  it.each(["-Dv=1", "-D\nv=1", "--define v=1", "--define=v=1", '"-Dv=1"'])(
    "counts a property in use that %j sets, also above",
    (text) => {
      const files = {
        ".mvn/maven.config": `-T4 ${text}\n`,
        "b/pom.xml": project(property("2"), used),
      };
      expect(audit(files)).toEqual({ asked: ["g:a 2"], unread: ["b/pom.xml:-: expression"] });
    },
  );

  it("passes over a property of no use that an argument sets", () => {
    const files = { ".mvn/maven.config": "-Dw=1\n", "pom.xml": project(property("2"), used) };
    expect(audit(files)).toEqual({ asked: ["g:a 2"], unread: [] });
  });
});

it("the audit of a pom.xml reads characters that are written by number or name", () => {
  const text =
    "<project><properties><v>2&#46;1&#52;.1</v></properties><dependencies><dependency><groupId>g</groupId><artifactId>&#x61;&#98;</artifactId><version>${v}</version></dependency><dependency><groupId>g</groupId><artifactId>c</artifactId><version>1&amp;2&other;&#99999999;</version></dependency></dependencies></project>";
  expect(audit({ "pom.xml": text }).asked).toEqual(["g:ab 2.14.1", "g:c 1&2&other;&#99999999;"]);
});
