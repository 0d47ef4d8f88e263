import { tested, type Requirement } from "./requirement.ts";

const answers = "depshealth/acceptance/answers-to-act-on";
const audit = "depshealth/service/deps-audit";
const cautions = "depshealth/service/cautions";
const command = "cli/audit/audit-command";
const tools = "cli/tool-commands";
const pins = "depshealth/verdict/pins";
const others = "manifest/files/others";

/** What an agent or a build acts on: rows, cautions, successors, and what `causeway audit` fails for. */
export const dependencyAudit: readonly Requirement[] = [
  ...tested([
    [
      "advisories.record-by-record",
      "A notice of RustSec's silences no other record of the same flaw; unsound counts.",
      `${answers} > stay when a notice of RustSec's names the same flaw`,
      "depshealth/source/osv > are told apart record by record",
    ],
    [
      "advisories.taken-away",
      "They are asked for a version that its registry has taken away, too.",
      `${answers} > are of %s, which its registry has taken away`,
      "depshealth/source/osv > are asked for a version that the registry has taken away",
    ],
    [
      "advisories.malice",
      "Malice leads the sentence, is critical, and fails the command.",
      `${answers} > lead the sentence where they speak of malice`,
      `${tools} > fails for a malicious package, and shows it`,
    ],
    [
      "advisories.none-lost",
      "Every advisory that a database lists for a version is in the answer.",
      "depshealth/databases/databases > finds every advisory of a database in what is answered",
      "depshealth/databases/databases > tells what is lost",
    ],
    [
      "advisories.second-witness",
      "A mirror that strips marks is held against another witness, which is named.",
      `${answers} > as a mirror that strips marks is held against another witness`,
      "depshealth/source/osv > adds what the advisory source does not have, and says so",
    ],
  ]),
  ...tested([
    [
      "successors.exist",
      "A replacement is named only where its registry has it.",
      `${answers} > is $successor for $name`,
      "depshealth/gather/replacements > is none that its registry does not have",
    ],
    [
      "successors.quoted",
      "Of sentences only what is quoted, linked or can be nothing but a package is a name.",
      "depshealth/source/replacement-text > reads no replacement in %j",
      "depshealth/source/replacement-text > $id: $name, $successor",
    ],
    [
      "successors.curated",
      "At least 200 curated successors, each with its source and in its source's spelling.",
      `${pins} > is an entry for each package`,
      `${pins} > can be read where it was said`,
      `${pins} > spells what takes a package's place as its source does`,
      `${pins} > leads to nothing that has a successor itself`,
    ],
    [
      "successors.other-version",
      "Where only a version is at fault the answer leads to another version of the package.",
      `${answers} > is another version where the package itself is well`,
    ],
  ]),
  ...tested([
    [
      "sentence.of-the-version",
      "The sentence is about the assessed version and the lowest that mends all.",
      `${answers} > is about the version that was asked for`,
      "depshealth/summary/sentence > is about the version that was assessed",
    ],
    [
      "sentence.who-was-missing",
      "The sentence names who did not answer.",
      `${answers} > names who did not answer`,
      "depshealth/summary/sentence > names who did not answer",
    ],
    [
      "names.meant",
      "A name that people write otherwise is read as what it means, or told its right spelling.",
      `${answers} > is told its right spelling`,
      `${answers} > is read as what it means where the registry takes both spellings for one`,
      `${answers} > of a Go package is told the module that it is in`,
      `${answers} > is shown as its project writes it`,
      "depshealth/verdict/right-spelling > is told its right spelling",
    ],
  ]),
  ...tested([
    [
      "sources.other-shape",
      "JSON of another shape is failed evidence, and no word on deprecation.",
      `${answers} > in another shape is no word`,
    ],
    [
      "sources.go-files",
      "A Go proxy that has files alone is enough.",
      `${answers} > in files alone is enough for a Go module`,
    ],
    [
      "sources.eol-comes-along",
      "Without the source of end-of-life dates those that come with the program serve.",
      "depshealth/service/package-health > of end-of-life dates leaves those that come with the program",
    ],
    [
      "sources.manners",
      "The limits of a public host hold however its address was set.",
      "depshealth/ecosystem/registry-addresses > takes a public address that is written out",
      "platform/configuration/package-sources > leaves what is `public` at its public address",
    ],
    [
      "sources.refused",
      "The log says once what would allow a source that may not be dialled.",
      "depshealth/fetch/faults > tells the operator once what would allow a source",
    ],
  ]),
  ...tested([
    [
      "cautions.new-package",
      "A package whose first release is at most 30 days old is told to be new.",
      `${cautions} > is told to be new, and keeps its verdict`,
      `${cautions} > is not new after a month`,
    ],
    [
      "cautions.did-you-mean",
      "A little-known name that is almost that of a much-used package is told that.",
      `${cautions} > is told of one that few use, and of one that is new`,
      `${cautions} > is not told of one that many use`,
    ],
    [
      "cautions.install-script",
      "A version that runs a script when it is installed is told to.",
      `${cautions} > is told of the version that has it`,
    ],
  ]),
  ...tested([
    [
      "rows.why",
      "A row says why: the reason, each advisory, the group, the licence.",
      `${audit} > answers with every field of the contract`,
    ],
    [
      "rows.steps",
      "A row says how far the wanted and the latest version are, and what to install.",
      `${audit} > says how far the newest versions are, and which one fixes all advisories`,
    ],
    [
      "eol.cycles",
      "runtime_eol leaves out what is long over where the current cycles are asked for.",
      "depshealth/service/runtime-eol > leaves out what ended more than a year ago",
    ],
  ]),
  ...tested([
    [
      "audit.formats",
      "Manifests and lock files of the eight ecosystems and bills of materials are read.",
      `${command} > is found in a %s`,
      `${others} > takes versions from properties, parents and what is managed`,
      `${others} > has sources, platforms and what is direct in a Gemfile.lock`,
      "manifest/files/npm > of version 3 has each package by its place",
      "manifest/files/pypi > has who needs whom; the pyproject.toml beside it what is direct",
      "manifest/files/bills > is CycloneDX in JSON",
    ],
    [
      "audit.ways",
      "Direct and transitive packages are told apart, with the way to each.",
      `${command} > asks about what lock files pin, of every ecosystem, and tells the way to each`,
      `${command} > is told first, with its way, its line and what to do`,
    ],
    [
      "audit.pages",
      "Packages are asked for in pages of 25 until all are assessed.",
      `${command} > asks page by page until all are assessed`,
    ],
    [
      "audit.fail-on",
      "--fail-on takes words; a severity means worse ones, too.",
      `${command} > %j ends with %d`,
    ],
    [
      "audit.fails-by-itself",
      "By itself it fails for what is flawed, absent, unread or not assessed.",
      `${tools} > by itself ends right for %s`,
      `${tools} > fails where nothing of the file could be read`,
      `${tools} > fails where the registry could not be asked`,
      `${command} > is a file that cannot be read, with its line`,
    ],
    [
      "audit.baseline",
      "A baseline accepts findings with a reason until a day.",
      `${command} > accepts what it names`,
      `${command} > does not when its day has passed`,
      `${command} > an entry without a reason`,
      `${command} > is written with a reason, and read again`,
      `${command} > says what nobody needs any more`,
    ],
    [
      "audit.reports",
      "SARIF 2.1.0, Markdown or JSON; text of others cannot leave its place.",
      `${command} > is SARIF by its own schema, with what was accepted as suppressed`,
      `${command} > is Markdown that text of others cannot leave`,
      `${command} > is one of them`,
    ],
    [
      "audit.hostile-files",
      "A hostile file is refused or read in bounds.",
      "manifest/files/hostile > does not let aliases of YAML stand for more than the text",
      "manifest/files/hostile > does not expand entities of XML",
      "manifest/files/hostile > %s refuses noise or reads nothing of it",
    ],
  ]),
  ...tested([
    [
      "mcp.size",
      "What a model is told of the tools costs less than 1,500 tokens, with an example of each name.",
      "depshealth/service/tools-port > cost a model that is told of them less than 1,500 tokens",
      "depshealth/service/tools-port > give an example of a name for each ecosystem",
    ],
  ]),
];
