import { describe, expect, it } from "vitest";
import { readNearestMsbuildFile } from "../../../src/manifest/nuget/project-properties.ts";
import { audit, type Case } from "./audit-project.ts";

function project(body: string, attributes = ""): string {
  return `<Project${attributes}>\n${body}\n</Project>`;
}

function items(...elements: readonly string[]): string {
  return `<ItemGroup>${elements.join("")}</ItemGroup>`;
}

function properties(text: string, condition = ""): string {
  return `<PropertyGroup${condition}>${text}</PropertyGroup>`;
}

const versionOfA = items('<PackageReference Include="A" Version="$(V)"/>');
const when = ` Condition="'$(X)' == 'y'"`;

describe("the audit of a project of .NET", () => {
  it.each<[string, string, readonly string[]]>([
    ["an item in lower case", items('<packagereference include="A" VERSION="1.0"/>'), ["A 1.0"]],
    ["a group in lower case", '<itemgroup><packageReference Include="A"/></itemgroup>', ["A"]],
    [
      "a download",
      items('<PackageDownload Include="A" Version="[1.0];[2.0]"/>'),
      ["A [1.0]", "A [2.0]"],
    ],
    ["a global reference", items('<GlobalPackageReference Include="A" Version="1.0"/>'), ["A 1.0"]],
    [
      "a central version of its own",
      `<Choose><When${when}>${items('<PackageVersion Include="A" Version="1.0"/>')}</When></Choose>${items('<PackageReference Include="A"/>')}`,
      ["A 1.0"],
    ],
    ["a tool", items('<DotNetCliToolReference Include="A" Version="1.0"/>'), ["A 1.0"]],
    ["an update", items('<PackageReference Update="A" Version="1.0"/>'), ["A 1.0"]],
    ["an update of no version", items('<PackageReference Update="A" PrivateAssets="all"/>'), []],
    ["a removal", items('<PackageReference Remove="A"/>'), []],
    [
      "several names",
      items('<PackageReference Include="A; B" Version="1.0"/>'),
      ["A 1.0", "B 1.0"],
    ],
    [
      "several versions of an item",
      items(
        `<PackageReference Include="A"><Version${when}>1.0</Version><Version>2.0</Version></PackageReference>`,
      ),
      ["A 1.0", "A 2.0"],
    ],
    [
      "an item of a target",
      `<Target Name="t">${items('<PackageReference Include="A" Version="1.0"/>')}</Target>`,
      ["A 1.0"],
    ],
    ["an SDK", '<Sdk Name="A" Version="1.0"/>', ["A 1.0"]],
    ["the SDK of an import", '<Import Project="Sdk.props" Sdk="A" Version="1.0"/>', ["A 1.0"]],
    ["the last value", properties("<V>2.0</V><v>1.0</v>") + versionOfA, ["A 1.0"]],
    [
      "values of conditions",
      properties("<V>3.0</V><V>2.0</V>") + properties("<V>1.0</V>", when) + versionOfA,
      ["A 1.0", "A 2.0"],
    ],
    [
      "values of a choice",
      `${properties("<V>2.0</V>")}<Choose><When${when}>${properties("<V>1.0</V>")}</When></Choose>${versionOfA}`,
      ["A 1.0", "A 2.0"],
    ],
  ])("asks about %s", (_what, body, asked) => {
    expect(audit({ "a.csproj": project(body) })).toEqual({ asked, unread: [] });
  });

  it.each([
    [
      "..\\packages\\Newtonsoft.Json.13.0.1\\lib\\net45\\Newtonsoft.Json.dll",
      "Newtonsoft.Json 13.0.1",
    ],
    ["$(SolutionDir)packages\\log4net.2.0.15\\lib\\log4net.dll", "log4net 2.0.15"],
    ["../packages/A.5.0.0-beta.1/ref/A.dll", "A 5.0.0-beta.1"],
    ["..\\Packages\\Microsoft.Bcl.1.1.10\\lib\\a.dll", "Microsoft.Bcl 1.1.10"],
    ["%UserProfile%\\.nuget\\packages\\a.b\\1.0.0\\lib\\a.dll", "a.b 1.0.0"],
    ["..\\packages\\A.$(V)\\lib\\a.dll", undefined],
    ["..\\lib\\A.1.0.0\\a.dll", undefined],
    ["..\\packages\\A.1.0.0", undefined],
    ["..\\packages\\1.0.0\\a.dll", undefined],
  ])("takes the package of an assembly from the path %s", (path, expected) => {
    const reference = `<Reference Include="A, Version=1.0.0.0"><HintPath>${path}</HintPath></Reference>`;
    expect(audit({ "a.csproj": project(items(reference)) })).toEqual({
      asked: expected === undefined ? [] : [expected],
      unread: [],
    });
  });

  it("asks about the SDKs of a project, but for those of .NET itself", () => {
    const text = project("", ' Sdk="Microsoft.NET.Sdk.Web;A/1.0.0"');
    expect(audit({ "a.csproj": text })).toEqual({ asked: ["A 1.0.0"], unread: [] });
  });

  it.each<[string, Case["files"], readonly string[]]>([
    [
      "Directory.Build.targets, which counts last",
      {
        "Directory.Build.targets": project(properties("<V>1.0</V>")),
        "src/a.csproj": project(properties("<V>2.0</V>") + versionOfA),
      },
      ["A 1.0"],
    ],
    [
      "the project, where a shared file has the reference",
      {
        "Directory.Build.props": project(properties("<V>2.0</V>") + versionOfA),
        "src/a.csproj": project(properties("<V>1.0</V>")),
      },
      ["A 1.0", "A 2.0"],
    ],
    [
      "a central file in lower case",
      {
        "Directory.Packages.props": project(items('<packageversion include="A" version="1.0"/>')),
        "a.csproj": project(items('<PackageReference Include="a"/>')),
      },
      ["A 1.0"],
    ],
  ])("takes a version from %s", (_what, files, asked) => {
    expect(audit(files)).toEqual({ asked, unread: [] });
  });

  it.each([
    ["an import", '<Import Project="deps.props"/>', "include"],
    [
      "an import of a group",
      '<ImportGroup><import project="deps.props"/></ImportGroup>',
      "include",
    ],
    [
      "an import that leaves the tools",
      '<Import Project="$(MSBuildToolsPath)\\..\\x.props"/>',
      "include",
    ],
    [
      "a default version",
      "<ItemDefinitionGroup><PackageReference><Version>1.0</Version></PackageReference></ItemDefinitionGroup>",
      "expression",
    ],
    [
      "names that are computed",
      items('<PackageReference Update="@(All)" Version="1.0"/>'),
      "expression",
    ],
    [
      "an item of too many versions",
      items(`<PackageReference Include="A" Version="${"1.0;".repeat(21)}"/>`),
      "too_many",
    ],
    [
      "two properties of several values",
      properties("<V>1.$(W)</V><W>1</W>") + properties("<V>2.$(W)</V><W>2</W>", when) + versionOfA,
      "expression",
    ],
    [
      "a property of too many values",
      Array.from({ length: 9 }, (_, at) => properties(`<V>${at}</V>`, when)).join("") + versionOfA,
      "expression",
    ],
  ])("counts %s", (_what, body, reason) => {
    const files = { "a.csproj": project(body), "deps.props": project("") };
    expect(audit(files)).toEqual({ asked: [], unread: [`a.csproj:2: ${reason}`] });
  });

  it("passes over imports of the tools of .NET", () => {
    const text = project('<Import Project="$(MSBuildToolsPath)\\Microsoft.CSharp.targets"/>');
    expect(audit({ "a.csproj": text })).toEqual({ asked: [], unread: [] });
  });
});

describe("the audit of a packages.config", () => {
  it.each(["packages.config", "packages.App.config", "Packages.config"])("reads %s", (name) => {
    const text = '<packages><package id="A" version="1.0"/></packages>';
    expect(audit({ [`app/${name}`]: text })).toEqual({ asked: ["A 1.0"], unread: [] });
  });

  it("counts a file without packages of that name", () => {
    expect(audit({ "packages.config": "<configuration/>" }).unread).toEqual([
      "packages.config:-: invalid_xml",
    ]);
  });
});

describe("the audit of many projects below one Directory.Build.props", () => {
  const shared = properties("<U>1.0</U><V>$(U)</V><W>1.0</W>");
  const reference = (name: string, version: string) =>
    `<PackageReference Include="${name}" Version="${version}"/>`;
  const packages = items(reference("A", "$(V)"), reference("B", "$(W)"), reference("C", "1.0"));

  it("asks about the versions that the properties of a project change, each once", () => {
    const files = {
      "Directory.Build.props": project(shared + packages),
      "a/a.csproj": project(properties("<U>2.0</U>")),
      "b/b.csproj": project(properties("<W>3.0</W>")),
      "c/c.csproj": project(properties("<X>4.0</X>")),
    };
    expect(audit(files)).toEqual({
      asked: ["A 1.0", "A 2.0", "B 1.0", "B 3.0", "C 1.0"],
      unread: [],
    });
  });

  it("takes 500 of them from each project, and counts that there are more", () => {
    const many = Array.from({ length: 600 }, (_, at) => reference(`P${at}`, "$(V)"));
    const files = {
      "Directory.Build.props": project(shared + items(...many)),
      "a/a.csproj": project(properties("<U>2.0</U>")),
      "b/b.csproj": project(properties("<U>1.0</U>")),
    };
    const { asked, unread } = audit(files);
    expect(asked.filter((each) => each.endsWith(" 2.0"))).toHaveLength(500);
    expect(asked).toHaveLength(1100);
    expect(unread).toEqual(["a/a.csproj:-: too_many"]);
  });

  it("parses the shared file once", () => {
    const text = project(shared);
    const find = () => readNearestMsbuildFile("Directory.Build.props", () => `${text}\n`);
    expect(find()).toBe(find());
  });
});

it("the audit of a project of .NET reads characters that are written by number", () => {
  const text =
    '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="&#69;vil" Version="1&#46;0.0"/></ItemGroup></Project>';
  expect(audit({ "a.csproj": text })).toEqual({ asked: ["Evil 1.0.0"], unread: [] });
});

describe("the audit of tools and SDKs of .NET", () => {
  it.each([".config/dotnet-tools.json", "b/dotnet-tools.json"])(
    "asks about the tools of %s",
    (file) => {
      const tools = { "dotnet-ef": { version: "8.0.1", commands: ["dotnet-ef"] }, other: {} };
      expect(audit({ [file]: { json: { version: 1, isRoot: true, tools } } })).toEqual({
        asked: ["dotnet-ef 8.0.1", "other"],
        unread: [],
      });
    },
  );

  it("asks about the SDKs of a global.json in their version", () => {
    const json = { sdk: { version: "8.0.100" }, "msbuild-sdks": { "A.Sdk": "1.2.3" } };
    expect(audit({ "global.json": { json } })).toEqual({ asked: ["A.Sdk 1.2.3"], unread: [] });
  });
});
