import { describe, expect, it } from "vitest";
import { describeFile } from "./describe-file.ts";

describe("a Cargo.lock", () => {
  const text = `version = 4

[[package]]
name = "app"
version = "1.2.0"
source = "registry+https://index.example"
dependencies = ["deep 3.0.1"]

[[package]]
name = "deep"
version = "2.0.0"
source = "registry+https://index.example"

[[package]]
name = "deep"
version = "3.0.1"
source = "registry+https://index.example"

[[package]]
name = "fork"
version = "0.1.0"
source = "git+https://git.example/fork#ab"

[[package]]
name = "mine"
version = "0.1.0"
dependencies = ["app", "deep 2.0.0", "fork"]
`;

  it("has the project in it; the Cargo.toml beside it says what for", () => {
    const manifest =
      '[package]\nname = "mine"\n\n[dependencies]\napp = "1"\n\n[dev-dependencies]\ndeep = "2"\n';
    expect(describeFile("Cargo.lock", text, { "Cargo.toml": manifest })).toEqual({
      packages: [
        "3: app 1.2.0 direct production",
        "9: deep 2.0.0 direct development",
        "14: deep 3.0.1 transitive production [app@1.2.0 > deep@3.0.1]",
      ],
      unparsed: [
        "19: fork@0.1.0 https://git.example/fork: git",
        "3: index.example: registry: 3 of its packages may come from this host",
      ],
    });
  });
});

describe("a Cargo.toml", () => {
  it("has targets, other names and what it takes from a workspace", () => {
    const text = `[dependencies]
app = "1.2"
exact = "=1.2.0"
mine = { path = "../mine" }
other = { package = "real", version = "5" }
shared = { workspace = true }
gone.workspace = true

[target.'cfg(unix)'.dev-dependencies.nested]
version = "0.3"
`;
    const workspace = '[workspace.dependencies]\nshared = "7"\n';
    expect(describeFile("Cargo.toml", text, { "../Cargo.toml": workspace })).toEqual({
      packages: [
        "2: app (1.2) direct production",
        "3: exact 1.2.0 direct production",
        "5: real (5) direct production",
        "6: shared (7) direct production",
        "9: nested (0.3) direct development",
      ],
      unparsed: [
        "4: mine: local",
        "7: gone: reference: the workspace that it refers to was not found",
      ],
    });
  });
});

describe("Go", () => {
  const manifest = `module go.example/mine

go 1.24

require go.example/app v1.2.0

require (
	go.example/deep/v3 v3.0.1 // indirect
	go.example/forked v1.0.0
	go.example/here v1.0.0
)

replace go.example/forked => go.example/fork v1.0.1

replace go.example/here => ../here
`;

  it("has in a go.mod what takes the place of a module", () => {
    expect(describeFile("go.mod", manifest)).toEqual({
      packages: [
        "5: go.example/app v1.2.0 direct production",
        "8: go.example/deep/v3 v3.0.1 transitive production",
        "9: go.example/fork v1.0.1 direct production",
      ],
      unparsed: ["10: go.example/here => ../here: local"],
    });
  });

  it("has in a go.sum the version that was chosen, and whether its code was", () => {
    const text = `go.example/app v1.2.0 h1:aa=
go.example/app v1.2.0/go.mod h1:ab=
go.example/app v1.9.0/go.mod h1:ac=
go.example/deep/v3 v3.0.1 h1:ad=
go.example/deep/v3 v3.0.1/go.mod h1:ae=
go.example/deep/v3 v3.0.0/go.mod h1:af=
`;
    expect(describeFile("go.sum", text, { "go.mod": manifest })).toEqual({
      packages: [
        "3: go.example/app v1.9.0 direct not built",
        "4: go.example/deep/v3 v3.0.1 transitive production",
        "-: go.example/app v1.2.0 direct production",
        "-: go.example/fork v1.0.1 direct production",
      ],
      unparsed: ["10: go.example/here => ../here: local"],
    });
    expect(describeFile("go.sum", text).packages[1]).toContain("unknown");
  });
});

describe("Maven", () => {
  it("[audit.formats] takes versions from properties, parents and what is managed", () => {
    const parent = `<project><groupId>org.example</groupId><artifactId>parent</artifactId>
<version>1.0</version><properties><deep.version>3.0.1</deep.version></properties>
<dependencyManagement><dependencies><dependency><groupId>org.example</groupId>
<artifactId>managed</artifactId><version>\${deep.version}</version></dependency></dependencies>
</dependencyManagement></project>`;
    const text = `<?xml version="1.0"?>
<project>
  <parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1.0</version></parent>
  <artifactId>mine</artifactId>
  <properties><app.version>1.2.0</app.version></properties>
  <dependencies>
    <dependency>
      <groupId>org.example</groupId>
      <artifactId>app</artifactId>
      <version>\${app.version}</version>
    </dependency>
    <dependency><groupId>org.example</groupId><artifactId>managed</artifactId></dependency>
    <dependency><groupId>org.example</groupId><artifactId>elsewhere</artifactId><scope>test</scope></dependency>
    <dependency><groupId>\${project.groupId}</groupId><artifactId>range</artifactId><version>[1,2)</version></dependency>
    <dependency><groupId>\${nobody}</groupId><artifactId>x</artifactId><version>1</version></dependency>
  </dependencies>
</project>
`;
    expect(describeFile("pom.xml", text, { "../pom.xml": parent })).toEqual({
      packages: [
        "7: org.example:app 1.2.0 direct production",
        "12: org.example:managed 3.0.1 direct production",
        "13: org.example:elsewhere () direct test",
        "14: org.example:range ([1,2)) direct production",
      ],
      unparsed: ["15: ${nobody}:x: expression: ${nobody} has no value here"],
    });
  });

  it("takes them from the profile before all else", () => {
    const profile = (
      version: string,
    ) => `<profile><properties><app.version>${version}</app.version></properties>
<dependencyManagement><dependencies><dependency><groupId>org.example</groupId>
<artifactId>managed</artifactId><version>${version}.1</version></dependency></dependencies></dependencyManagement>
<dependencies><dependency><groupId>org.example</groupId><artifactId>app</artifactId><version>\${app.version}</version></dependency>
<dependency><groupId>org.example</groupId><artifactId>managed</artifactId></dependency></dependencies></profile>
`;
    const text = `<project><groupId>org.example</groupId><artifactId>mine</artifactId><version>1.0</version>
<properties><app.version>1.0</app.version></properties>
<dependencies><dependency><groupId>org.example</groupId><artifactId>app</artifactId><version>\${app.version}</version></dependency></dependencies>
<profiles>${profile("2.0")}${profile("3.0")}</profiles></project>`;
    expect(describeFile("pom.xml", text).packages.map((row) => row.replace(/^\d+: /, ""))).toEqual([
      "org.example:app 1.0 direct production",
      "org.example:app 2.0 direct production",
      "org.example:managed 2.0.1 direct production",
      "org.example:app 3.0 direct production",
      "org.example:managed 3.0.1 direct production",
    ]);
  });

  it("is what Gradle writes, by coordinates, names, variables and a catalogue", () => {
    const text = `plugins { id("java") }
val deepVersion = "3.0.1"
dependencies {
    implementation("org.example:app:1.2.0")
    testImplementation("org.example:deep:$deepVersion")
    // implementation("org.example:not:1.0")
    api(platform("org.example:bom:1.0"))
    implementation(libs.fast.json)
    implementation(project(":part"))
    implementation(files("libs/here.jar"))
    runtimeOnly(group = "org.example", name = "named", version = "2.0")
    implementation("org.example:open:1.+")
    implementation(somethingElse)
}
`;
    const catalog =
      '[versions]\njson = "7.1"\n[libraries]\nfast-json = { module = "org.example:fast-json", version.ref = "json" }\n';
    const files = { "gradle/libs.versions.toml": catalog };
    expect(describeFile("build.gradle", text, files)).toEqual({
      packages: [
        "4: org.example:app 1.2.0 direct production",
        "5: org.example:deep 3.0.1 direct test",
        "7: org.example:bom 1.0 direct production",
        "8: org.example:fast-json 7.1 direct production",
        "11: org.example:named 2.0 direct production",
        "12: org.example:open (1.+) direct production",
      ],
      unparsed: [
        '10: (files("libs/here.jar")): local',
        "13: (somethingElse): expression: it is no text",
      ],
    });
  });

  it("has the known properties of a pom.xml also where one before them has no value", () => {
    const text = `<project><properties><known>1.2</known></properties><dependencies><dependency>
<groupId>org.example</groupId><artifactId>app</artifactId><version>\${unknown}-\${known}</version>
</dependency></dependencies></project>`;
    expect(describeFile("pom.xml", text).packages).toEqual([
      "1: org.example:app (${unknown}-1.2) direct production",
    ]);
  });

  it("is what a gradle.lockfile has, by configuration", () => {
    const text = `# This is a Gradle generated file for dependency locking.
org.example:app:1.2.0=compileClasspath,runtimeClasspath,testRuntimeClasspath
org.example:deep:3.0.1=testRuntimeClasspath
org.example:check:1.0=checkstyle
empty=annotationProcessor
`;
    const build = 'dependencies {\n  implementation "org.example:app:1.2.0"\n}\n';
    expect(describeFile("gradle.lockfile", text, { "build.gradle": build }).packages).toEqual([
      "2: org.example:app 1.2.0 direct production+test",
      "3: org.example:deep 3.0.1 transitive test",
      "4: org.example:check 1.0 transitive checkstyle",
    ]);
    expect(describeFile("gradle.lockfile", text).packages[0]).toContain("unknown");
  });
});

describe(".NET", () => {
  it("has the packages of each framework in a packages.lock.json", () => {
    const packages = {
      App: {
        type: "Direct",
        requested: "[1.2.0, )",
        resolved: "1.2.0",
        dependencies: { Deep: "3.0.1" },
      },
      Deep: { type: "Transitive", resolved: "3.0.1" },
      part: { type: "Project", dependencies: { Pinned: "[4.0.0, )" } },
      Pinned: { type: "CentralTransitive", resolved: "4.0.0" },
    };
    const text = JSON.stringify({ version: 2, dependencies: { "net8.0": packages } }, undefined, 1);
    expect(describeFile("packages.lock.json", text)).toEqual({
      packages: [
        "5: App 1.2.0 direct production",
        "23: Pinned 4.0.0 direct production",
        "13: Deep 3.0.1 transitive production [App@1.2.0 > Deep@3.0.1]",
      ],
      unparsed: [],
    });
  });

  it("has the packages of a packages.config", () => {
    const text = `<?xml version="1.0" encoding="utf-8"?>
<packages>
  <package id="Left" version="1.2.0" targetFramework="net48" />
  <Package Id="Right" Version="2.0" developmentDependency="true" allowedVersions="[2,3)" />
  <package id="Bare" />
  <package id="$(Name)" version="1.0" />
  <package version="1.0" />
</packages>`;
    expect(describeFile("packages.config", text)).toEqual({
      packages: [
        "3: Left 1.2.0 unknown production",
        "4: Right 2.0 unknown development",
        "5: Bare () unknown production",
      ],
      unparsed: [
        "6: $(Name) 1.0: expression: a property has no value here",
        "7: package: invalid_line: it has no id",
      ],
    });
  });

  const central = `<Project>
  <PropertyGroup><DeepVersion>3.0.1</DeepVersion></PropertyGroup>
  <ItemGroup>
    <PackageVersion Include="Central" Version="$(DeepVersion)" />
    <GlobalPackageReference Include="Everywhere" Version="1.0" />
  </ItemGroup>
</Project>
`;

  it("has references in a project, with versions of their own or central ones", () => {
    const text = `<Project Sdk="Microsoft.NET.Sdk">
  <ItemGroup>
    <PackageReference Include="App" Version="1.2.0" />
    <PackageReference Include="Central" />
    <PackageReference Include="Open" Version="1.*" />
    <PackageReference Include="Range" Version="[2.0,3.0)" />
    <PackageReference Include="Tool" PrivateAssets="all"><Version>5.0</Version></PackageReference>
    <PackageReference Include="Lost" Version="$(Nobody)" />
    <ProjectReference Include="../part/part.csproj" />
    <GlobalPackageReference Include="Global" Version="6.0" />
  </ItemGroup>
</Project>
`;
    expect(describeFile("csproj", text, { "../Directory.Packages.props": central })).toEqual({
      packages: [
        "3: App 1.2.0 direct production",
        "4: Central 3.0.1 direct production",
        "5: Open (1.*) direct production",
        "6: Range 2.0 direct production",
        "7: Tool 5.0 direct development",
        "10: Global 6.0 direct development",
      ],
      unparsed: ["8: Lost $(Nobody): expression: a property has no value here"],
    });
  });

  it("has the versions of a solution in a Directory.Packages.props", () => {
    expect(describeFile("Directory.Packages.props", central).packages).toEqual([
      "4: Central 3.0.1 direct production",
      "5: Everywhere 1.0 direct production",
    ]);
  });
});

describe("Ruby", () => {
  const gemfile = `source "https://gems.example"

gem "app", "~> 1.0"
gem "fork", git: "https://git.example/fork.git"
gem 'exact', '1.2.0'
group :development, :test do
  gem "tool"
end
gem "web", group: :web
gem NAME
`;

  it("has lines and groups in a Gemfile", () => {
    expect(describeFile("Gemfile", gemfile)).toEqual({
      packages: [
        "3: app (~> 1.0) direct production",
        "5: exact 1.2.0 direct production",
        "7: tool () direct development",
        "9: web () direct web",
      ],
      unparsed: [
        '4: gem "fork", git: "https://git.example/fork.git": git',
        "10: gem NAME: expression: it is no text",
        "3: gems.example: registry: 4 of its packages may come from this host",
      ],
    });
  });

  it("[audit.formats] has sources, platforms and what is direct in a Gemfile.lock", () => {
    const text = `GIT
  remote: https://git.example/fork.git
  revision: ab
  specs:
    fork (0.1.0)

GEM
  remote: https://gems.example/
  specs:
    app (1.2.0)
      deep (>= 3, < 4)
    deep (3.0.1)
    deep (3.0.1-x86_64-linux)
    tool (2.0.5)

PLATFORMS
  ruby

DEPENDENCIES
  app (~> 1.0)
  fork!
  tool

BUNDLED WITH
   2.6.0
`;
    expect(describeFile("Gemfile.lock", text, { Gemfile: gemfile })).toEqual({
      packages: [
        "10: app 1.2.0 direct production",
        "14: tool 2.0.5 direct development",
        "13: deep 3.0.1 transitive production [app@1.2.0 > deep@3.0.1]",
      ],
      unparsed: [
        "5: fork@0.1.0 https://git.example/fork.git: git",
        "10: gems.example: registry: 3 of its packages may come from this host",
      ],
    });
  });
});
