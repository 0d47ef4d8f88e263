import { describe, expect, it } from "vitest";
import { audit } from "./audit-project.ts";

describe("the audit of a build.gradle", () => {
  it.each([
    ["several coordinates", "implementation 'g:a:1.0', 'g:b:2.0'"],
    ["a list of them", "implementation(['g:a:1.0', 'g:b:2.0'])"],
  ])("asks about all packages of a call with %s", (_what, line) => {
    expect(audit({ "build.gradle": `dependencies {\n  ${line}\n}\n` })).toEqual({
      asked: ["g:a 1.0", "g:b 2.0"],
      unread: [],
    });
  });

  it("asks about a package whose reason names a project", () => {
    const text = "implementation('g:a:1.0') { because 'as in project(x)' }\n";
    expect(audit({ "build.gradle": text }).asked).toEqual(["g:a 1.0"]);
  });

  it.each([
    ["an unknown call with a group of one word", "shade 'log4j:log4j:1.2.17'"],
    ["an unknown call with a variable version", 'shade "org.a:b:$version"'],
    ["the second line of a call", "  'commons-collections:commons-collections:3.2.1'"],
    ["a set of packages", "dependencySet(group: 'org.a', version: '1') { entry 'b'; entry 'c' }"],
    ["a set of packages in one text", 'dependencySet("k.s:1.0") { entry("b") }'],
    ["an unknown call with a computed group", 'shade("$x:x:1")'],
    ["an unknown call with a map", 'shade(mapOf("group" to "h.i", "name" to "x"))'],
    ["a map that is added", 'dependencies.add("api", mapOf("group" to "h.i", "name" to "x"))'],
    ["a computed group that is added", 'dependencies.add("api", "$x:x:1")'],
    ["a package that an unknown configuration gets", 'dependencies.add("mine", "nodot:lib")'],
    ["the version of a test suite", 'useJUnitJupiter("5.9.1")'],
    ["the version of a test suite in another block", "test { useSpock('2.3') }"],
  ])("reports %s", (_what, line) => {
    expect(audit({ "build.gradle": `${line}\n` }).unread).toEqual(["build.gradle:1: expression"]);
  });

  it.each(["dependencies", "project.dependencies", "rootProject.project.dependencies"])(
    "asks about packages that are added to %s",
    (to) => {
      const text = `${to}.add("api", "nodot:lib")\n${to}.add("implementation", "g:a:1.0")\n`;
      expect(audit({ "build.gradle.kts": text })).toEqual({
        asked: ["g:a 1.0", "nodot:lib"],
        unread: [],
      });
    },
  );

  it.each([
    "useJUnitPlatform()",
    "useTestNG { suites 'a.xml' }",
    'println("$a:$b")',
    "exclude group: 'org.a', module: 'b'",
    'dependencies.add("api", project(":a"))',
    "entry 'file.txt'",
    'configurations { add("mine") }',
  ])("passes over %j", (line) => {
    expect(audit({ "build.gradle": `${line}\n` })).toEqual({ asked: [], unread: [] });
  });

  it.each(["apply from: 'more.gradle'", "allprojects { apply(from = script) }"])(
    "reports the script of %j, also next to a lock file",
    (line) => {
      const files = { "build.gradle": `${line}\n`, "gradle.lockfile": "g:a:1=runtimeClasspath\n" };
      expect(audit(files).unread).toEqual(["build.gradle:1: include"]);
    },
  );

  it.each([
    'plugins { id("com.acme.tool") version "1.2" }',
    "plugins { id 'java'; id 'com.acme.tool' version '1.2' apply false }",
    'id("com.acme.tool").apply(false).version("1.2")',
    'id("com.acme.tool") version toolVersion',
    'id("com.acme.tool") version "$toolVersion"',
    'kotlin("jvm") version "1.9"',
    "alias(libs.plugins.acme.tool)",
    "alias(libs.plugins.acme.short) apply false",
  ])("reports the plugin of %j, also next to a lock file", (line) => {
    const catalog =
      '[versions]\nacme = "1.2"\n[plugins]\nacme-tool = { id = "com.acme.tool", version.ref = "acme" }\nacme_short = "com.acme.short:1.2"\n';
    const files = {
      "build.gradle": `${line}\n`,
      "gradle.lockfile": "g:a:1=runtimeClasspath\n",
      "gradle/libs.versions.toml": catalog,
    };
    expect(audit(files)).toEqual({
      asked: ["g:a 1"],
      unread: ["build.gradle:1: unsupported_registry"],
    });
  });

  it.each(["alias(tools.plugins.acme)", "id(pluginId) version '1.2'", "useVersion('1.2')"])(
    "reports %j, of which the plugin is no text",
    (line) => {
      expect(audit({ "settings.gradle": `${line}\n` }).unread).toEqual([
        "settings.gradle:1: expression",
      ]);
    },
  );

  it("reports a plugin whose version is on the next line", () => {
    const text = 'plugins {\n  id("com.acme.tool")\n    .version("1.2")\n}\n';
    expect(audit({ "build.gradle.kts": text }).unread).toEqual([
      "build.gradle.kts:2: unsupported_registry",
    ]);
  });

  it("reports the marker of a plugin in a lock file of the build", () => {
    const text = "com.acme.tool:com.acme.tool.gradle.plugin:1.2=classpath\ng:a:1=classpath\n";
    expect(audit({ "buildscript-gradle.lockfile": text })).toEqual({
      asked: ["g:a 1"],
      unread: ["buildscript-gradle.lockfile:1: unsupported_registry"],
    });
  });

  it("passes over plugins of Gradle itself and other ids", () => {
    const text =
      "plugins {\n  id 'java'\n  kotlin('jvm')\n}\ndeveloper { id = 'x' }\nversion = '1'\n";
    expect(audit({ "build.gradle": text })).toEqual({ asked: [], unread: [] });
  });

  it.each<[string, string, readonly string[]]>([
    [
      "an address lines below",
      'maven {\n name = "x"\n url = uri("https://a.example")\n}',
      ["3: registry"],
    ],
    [
      "the second of two on a line",
      "maven { url 'https://a.example' }; maven { url 'file:/a' }",
      ["1: local", "1: registry"],
    ],
    ["an address of a variable", 'maven { url = uri("$base/x") }', ["1: environment_variable"]],
    ["an address that is computed", "maven(address)", ["1: environment_variable"]],
    ["the repository of the machine", "repositories { mavenLocal() }", ["1: local"]],
    ["a folder", "flatDir { dirs 'libs' }", ["1: local"]],
  ])("reports a repository with %s, also next to a lock file", (_what, text, unread) => {
    const files = { "build.gradle": `${text}\n`, "gradle.lockfile": "g:a:1=runtimeClasspath\n" };
    expect(audit(files).unread).toEqual(unread.map((row) => `build.gradle:${row}`));
  });

  it("asks about a package on the line of a repository", () => {
    const text = "maven { url 'https://a.example' }; dependencies { implementation 'g:a:1' }\n";
    expect(audit({ "build.gradle": text })).toEqual({
      asked: ["g:a 1"],
      unread: ["build.gradle:1: registry"],
    });
  });

  it("passes over addresses of other things", () => {
    const text = "plugins { id 'maven-publish' }\npom { url = 'https://a.example' }\n";
    expect(audit({ "build.gradle": text })).toEqual({ asked: [], unread: [] });
  });
});

const catalog = { "gradle/libs.versions.toml": '[libraries]\na = "g:a:1"\nb-c = "g:b:2"\n' };

describe("the audit of a build.gradle whose texts look like comments", () => {
  it.each([
    ["globs", 'exclude("**/*.gen")', 'include("**/IT*")'],
    ["globs in single quotes", "exclude '**/*.bak'", "exclude '**/*.md'"],
    ["texts of several lines", 'val x = """\n /* """', 'val y = """ */ """'],
    ["texts of several lines of Groovy", "def x = '''\n /* ''''", "def y = '*/'"],
    ["an escaped quote", String.raw`def x = "\"/*"`, "def y = '*/'"],
    ["an address", 'maven("https://a.example/*")', "def y = '*/'"],
    ["a text within a text", '"${x("/*")}"', '"*/"'],
    ["a text of slashes", String.raw`def x = ~/"\/*/`, "def y = '*/'"],
    ["quotes in slashes", "def x = ~/'''/", "def y = '''/*''' + '*/'"],
    ["a text of dollars", 'def x = $/ " /* /$', "def y = '*/'"],
    ["comments within a comment", '/* /* */ """ */ """ /* """', '"*/"'],
    ["a name in backticks", "val `/*` = 1", 'val y = "*/"'],
    ["a raw text of Kotlin", String.raw`val x = """\"""; val z = "/*"`, 'val y = "*/"'],
    ["an open comment", "x /* y", ""],
  ])("asks about packages between %s", (_what, before, behind) => {
    const text = `${before}\ndependencies {\n  implementation("g:a:1.0")\n}\n${behind}\n`;
    expect(audit({ "build.gradle.kts": text }).asked).toEqual(["g:a 1.0"]);
  });

  it("passes over packages in comments", () => {
    const text =
      "// implementation 'g:a:1'\n/* implementation 'g:b:1' */\nx /* it's\n */; api('g:c:1') // \"\n";
    expect(audit({ "build.gradle": text })).toEqual({ asked: ["g:c 1"], unread: [] });
  });

  it("refuses texts within texts without end", () => {
    const text = `${'"${'.repeat(20_000)}\n`;
    expect(audit({ "build.gradle": text })).toEqual({
      asked: [],
      unread: ["build.gradle:-: invalid_gradle"],
    });
  });
});

describe("the audit of other scripts of Gradle", () => {
  it.each([
    "buildSrc/src/main/groovy/my.java-conventions.gradle",
    "build-logic/src/main/kotlin/my/java-conventions.gradle.kts",
    "gradle/dependencies.gradle",
    "other.gradle",
  ])("asks about the packages of %s", (file) => {
    const text = "plugins { id 'java' }\ndependencies { implementation 'g:a:1.0' }\n";
    expect(audit({ [file]: text, "build.gradle": "plugins { id 'java' }\n" })).toEqual({
      asked: ["g:a 1.0"],
      unread: [],
    });
  });
});

describe("the audit of the calls of a build.gradle", () => {
  it.each([
    ["two of the catalogue", "implementation libs.a, libs.b.c"],
    ["two on a line", 'implementation("g:a:1"); implementation(libs.b.c)'],
    ["one behind a project", "implementation(project(':x')); api(libs.a); api(libs.b.c.get())"],
    ["one next to the API of Gradle", "api gradleApi(), libs.a\napi libs.b.c"],
    ["a block on one line", "dependencies { api 'g:a:1'; api libs.b.c }"],
    ["several lines", "api(\n  'g:a:1',\n  libs\n    .b.c\n)"],
    [
      "several maps",
      "api([group: 'g', name: 'a', version: '1'], [group: 'g', name: 'b', version: '2'])",
    ],
    ["a map on several lines", "api group: 'g',\n  name: 'a', version: '1'\napi libs.b.c"],
    ["a platform", "api(platform(libs.a))\napi(variantOf(libs.b.c) { classifier('x') })"],
  ])("asks about both packages of %s", (_what, text) => {
    expect(audit({ ...catalog, "build.gradle": `${text}\n` })).toEqual({
      asked: ["g:a 1", "g:b 2"],
      unread: [],
    });
  });

  it.each([
    "errorprone(libs.a)",
    '"custom"(libs.a)',
    "add('custom', libs.a)",
    "custom(libs.findLibrary('a').get())",
    "shadow group: 'g', name: 'a', version: '1'",
    "shadow(\n  group = 'g',\n  name = 'a',\n)",
    "shadow 'org.g:a'",
    "if (x) api(libs.a)",
    "api libs.other",
    "api(project(':x'), other)",
    "api other",
    "api([other])",
    "api group: g, name: 'a'",
  ])("reports %j", (text) => {
    expect(audit({ ...catalog, "build.gradle": `${text}\n` })).toEqual({
      asked: [],
      unread: ["build.gradle:1: expression"],
    });
  });

  it("reports what it cannot read next to what it asks about", () => {
    expect(audit({ ...catalog, "build.gradle": "api libs.a, other\n" })).toEqual({
      asked: ["g:a 1"],
      unread: ["build.gradle:1: expression"],
    });
  });

  it.each([
    ["a sum with a variable", "def v = '2.14.1'\napi 'g:a:' + v"],
    ["a sum in brackets", "def v = '2.14.1'\napi('g:a:' + project.v)"],
    ["a sum of texts", "api 'g' + ':a:2' + '.14.1'"],
    ["a sum in a map", "api group: 'g', name: 'a', version: '2.' + '14.1'"],
    ["a variable in a map", "def v = '2.14.1'\napi group: 'g', name: 'a', version: v"],
    ["a block on one line", "api('g:a') { version { strictly '2.14.1' } }"],
    ["a block", "api('g:a') {\n  version {\n    require('2.14.1')\n  }\n}"],
    ["a block with a variable", "val v = '2.14.1'\napi('g:a') { version { it.prefer(v) } }"],
    ["two versions", "api('g:a:1') { version { prefer '3'; strictly '2.14.1' } }"],
    ["a block of the catalogue", "api(libs.a) { version { strictly '2.14.1' } }"],
    ["a block of a map", "api(group: 'g', name: 'a') { version { strictly '2.14.1' } }"],
    ["a text that is converted", "api 'g:a:2.14.1'.toString()"],
  ])("asks about the version of %s", (_what, text) => {
    expect(audit({ ...catalog, "build.gradle": `${text}\n` })).toEqual({
      asked: ["g:a 2.14.1"],
      unread: [],
    });
  });

  it.each([
    "api 'g:a:' + version()",
    "api(prefix + 'x:a:1')",
    "api('g:a:1'.replace('1', '2'))",
    'api("g:a:%s".format(v))',
    "api group: 'g', name: 'a', version: v",
    "api group: 'g', name: 'a', version: x ? '1' : '2'",
    "api('g:a') { version { strictly v } }",
    "api('g:a:1') { version { strictly versions.get('x') } }",
    "api(libs.a) { version { strictly v } }",
    'api(kotlin("stdlib", v))',
    "force 'g:a:' + v",
    "def v = '1'; api \"g:a:$v\"; x { def v = '2' }",
    "def v = '1'; api 'g:a:' + v; x { def v = find() }",
  ])("reports %j, of which the version is computed", (text) => {
    expect(audit({ ...catalog, "build.gradle": `${text}\n` })).toEqual({
      asked: [],
      unread: ["build.gradle:1: expression"],
    });
  });

  it.each(["api(x ? 'g:a:1' : other)", "api(if (x) 'g:a:1' else other)", "api(other ?: 'g:a:1')"])(
    "reports the branch of %j that it cannot read",
    (text) => {
      expect(audit({ "build.gradle": `${text}\n` })).toEqual({
        asked: ["g:a 1"],
        unread: ["build.gradle:1: expression"],
      });
    },
  );

  it("asks about the packages of both branches of a condition", () => {
    const text = "api(x ? 'g:a:1' : 'g:b:2')\napi(if (x) 'g:c:3' else libs.a)\n";
    expect(audit({ ...catalog, "build.gradle": text })).toEqual({
      asked: ["g:a 1", "g:b 2", "g:c 3"],
      unread: [],
    });
  });

  it("passes over other blocks with versions", () => {
    const text =
      "java { toolchain { version { strictly '9' } } }\napi('g:a:1') { because 'x' + y }\napi('g:b:2')\n";
    expect(audit({ "build.gradle": text })).toEqual({ asked: ["g:a 1", "g:b 2"], unread: [] });
  });

  it("passes over versions of the catalogue and other names", () => {
    const text =
      "import a.libs.B\njava { version = libs.versions.java.get() }\napply plugin: libs.plugins.a.get().pluginId\ntask(group: 'x', name: 'y')\nexclude group: 'org.a', module: 'b'\nconfigurations { implementation\n api }\n";
    expect(audit({ ...catalog, "build.gradle": text })).toEqual({ asked: [], unread: [] });
  });
});

describe("the audit of a settings.gradle", () => {
  it.each([
    "library('a', 'g', 'evil').version('1')",
    'library("a", "g:evil:1")',
    'version("a", "0.1")',
    'plugin("a", "b").version("1")',
    "bundle('a', ['b'])",
    'from(files("other.toml"))',
    "from(files(path))",
    "defaultLibrariesExtensionName = 'x'",
  ])("reports %j, which changes the version catalogue", (line) => {
    const text = `dependencyResolutionManagement { versionCatalogs { create("libs") { ${line} } } }\n`;
    const words = audit({ "settings.gradle.kts": text }).unread;
    expect(new Set(words)).toEqual(new Set(["settings.gradle.kts:1: expression"]));
  });

  it("passes over the usual version catalogue and projects", () => {
    const text =
      'plugins { id("java") }\nrootProject.name = "a"\ninclude(":a", ":b:c")\ninclude(":d:${name}")\nversionCatalogs { create("libs") { from(files("../gradle/libs.versions.toml")) } }\n';
    expect(audit({ "settings.gradle.kts": text })).toEqual({ asked: [], unread: [] });
  });
});
