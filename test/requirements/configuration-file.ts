import { tested, type Requirement } from "./requirement.ts";

/** The configuration file. */
export const configurationFile: readonly Requirement[] = tested([
  [
    "file.vendors",
    "vendors are merged over the built-in catalogue by id.",
    "vendor/vendor-catalogue > merges lists by id, a later one wins, and sorts by id",
    "contract/vendors > shows each vendor, linked or not",
  ],
  [
    "file.vendor-auth",
    "auth is bearer, x-api-key, or login for a code-assistant login.",
    "vendor/vendor > links a key, probes it in the vendor's style, and seals it",
    "contract/vendors > links a login with all its parts",
    "vendor/login-renewal > spends each refresh token once, the next one next",
    "platform/configuration/credits > name where they are renewed",
  ],
  [
    "file.mail",
    "Without mail, messages go to <data dir>/outbox/*.eml and the log names the file.",
    "platform/mail/mail-transport > writes one private file per message and names it in the log",
  ],
  [
    "file.smtp",
    "With mail.smtp, messages are handed to that server.",
    "platform/mail/mail-transport > hands a message over, the code alone on its line",
  ],
  [
    "file.sign-in",
    "sign_in says who may sign in.",
    "contract/sessions > answers an address that may not sign in alike, and mails nothing",
    "contract/sessions > makes the user that is missing",
  ],
  [
    "file.limits",
    "limits sets request buckets, body size and the three times.",
    "platform/configuration/configuration > reads a file that has every key, as YAML and as JSON",
    "gateway/route/refusals > are refused by their declared length before they are read",
  ],
  [
    "file.variable",
    "${NAME} takes an environment variable; a missing one is an error that names it.",
    "platform/configuration/configuration > refuses the file %j and names the key",
    "process/configuration > a configuration file that cannot be used",
  ],
  [
    "file.unknown-key",
    "An unknown key is an error that names it.",
    "platform/configuration/configuration > refuses the file %j and names the key",
  ],
  [
    "file.discovery",
    "A vendor without models: they are discovered from its /models.",
    "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
    "gateway/rpc/models > calls a bare id at the first linked vendor that lists it, discovered or configured",
  ],
  [
    "file.credits",
    "credits names the operator's keys and the catalogue with its prices.",
    "wallet/wallet > pays what the vendor told, cached input at its own price",
    "platform/configuration/credits > lets what is given win field by field, for long prompts too",
    "wallet/default-prices > charges cached input at its own rate, and keeps the rule with the package's version",
  ],
  [
    "file.agents",
    "agents name models, instructions and limits of the engines; an engine's own limits win.",
    "platform/configuration/configuration > reads a file that has every key, as YAML and as JSON",
    "platform/configuration/configuration > refuses the file %j and names the key",
  ],
  [
    "file.registries",
    "registries sets a base address per ecosystem.",
    "depshealth/ecosystem/registry-addresses > puts all parts of a registry below the one",
    "depshealth/acceptance/labelled-packages > get it from package_health",
  ],
  [
    "file.sources",
    "sources sets further sources or turns them off.",
    "platform/configuration/package-sources > switches the sources off that %j does not name",
    "depshealth/service/runtime-eol > comes with the program, and says how old it is, where %s",
  ],
  [
    "file.sources-off",
    "When the file names any source or registry, unnamed sources are off.",
    "platform/configuration/package-sources > switches the sources off that %j does not name",
  ],
  [
    "file.registry-defaults",
    "Default registries come from a package-URL library and the npm configuration.",
    "depshealth/ecosystem/registry-addresses > has an address of its own for every registry",
  ],
  [
    "file.task-context",
    "task_context: off keeps none.",
    "depshealth/service/task-contexts > is not kept where the operator keeps none",
  ],
  [
    "file.retention",
    "retention.responses_days: 0 keeps no response.",
    "gateway/response/retention > keeps no response when retention.responses_days is 0",
  ],
  [
    "file.calls-retention",
    "retention.calls_days, 30 if omitted, is for how long calls are kept.",
    "call-log/retention > a day goes as soon as all of it is older than retention.calls_days, whoever renews",
    "platform/configuration/configuration > reads a file that has every key, as YAML and as JSON",
  ],
]);
