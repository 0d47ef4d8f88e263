import { tested, type Requirement } from "./requirement.ts";

/** The environment variables. */
export const environment: readonly Requirement[] = tested([
  [
    "environment.unknown",
    "An unknown CAUSEWAY_ variable is a warning.",
    "process/configuration > warns of a variable that it does not know, and starts",
    "platform/configuration/configuration > names what this version does not know and nothing else",
  ],
  [
    "environment.malformed",
    "A malformed value is an error.",
    "platform/configuration/configuration > refuses the environment %j and names the setting",
  ],
  [
    "environment.database",
    "DATABASE_URL is a PostgreSQL 14 or later.",
    "platform/database/check-server > a server older than 14 is refused",
  ],
  [
    "environment.pooler",
    "A transaction pooler is detected and refused.",
    "platform/database/check-server > a transaction pooler is refused, and the message says what to do",
  ],
  [
    "environment.data-dir",
    "The data directory holds database, secrets and outbox.",
    "process/start > keeps %s to its user",
    "platform/mail/mail-transport > writes one private file per message and names it in the log",
  ],
  [
    "environment.secret-key",
    "CAUSEWAY_SECRET_KEY is generated with mode 0600, or required with DATABASE_URL.",
    "platform/configuration/configuration > generates both once, with mode 0600",
    "process/configuration > a variable that cannot be used",
  ],
  [
    "environment.secret-keys",
    "Of a list the first key encrypts and all decrypt.",
    "platform/crypto/secret-box > moves a value to the first key and keeps the ciphertext",
    "account/sealed-settings > a wrong master key is a configuration error, an added one is not",
  ],
  [
    "environment.rewrap",
    "`causeway keys rewrap` moves everything to the first key.",
    "account/sealed-settings > moves everything to the first key, once, and nothing is lost",
    "process/command-line > moves what is sealed to a new key, which then serves alone",
  ],
  [
    "environment.admin-token",
    "The operator token is generated with mode 0600 in embedded mode.",
    "platform/configuration/configuration > generates both once, with mode 0600",
  ],
  [
    "environment.operator-off",
    "With DATABASE_URL and no token the operator API is 404.",
    "contract/operator > every operation of the operator is 404, whoever asks",
  ],
  [
    "environment.public-url",
    "CAUSEWAY_PUBLIC_URL, else the listening address, is used in links.",
    "contract/sessions > mails digits alone on a line and a link with a code of its own",
    "contract/refusals > carries code, message, doc_url and request_id",
  ],
  [
    "environment.config",
    "CAUSEWAY_CONFIG names a JSON or YAML file.",
    "platform/configuration/configuration > reads a file that has every key, as YAML and as JSON",
  ],
  [
    "environment.allow",
    "CAUSEWAY_UPSTREAM_ALLOW admits private and plain addresses by host or CIDR and port.",
    "platform/dial/allow-list > %s allows %s with port %d",
    "platform/dial/dialer > wants TLS unless the name or all its addresses are allowed",
  ],
  [
    "environment.allow-line",
    "The refusal prints the line that would allow it.",
    "platform/dial/dialer > names %s as sent and prints the line that allows it",
    "contract/endpoints > refuses %s, names what was sent, and saves nothing",
  ],
  [
    "environment.never",
    "Link-local, metadata, multicast and own listeners are never allowed.",
    "platform/dial/dialer > refuses %s whatever is allowed",
    "platform/dial/dialer > refuses its own listener on %s although it is allowed",
  ],
  [
    "environment.file-allowed",
    "Base addresses of the configuration file count as allowed.",
    "platform/dial/dialer > takes what the operator set in the configuration file",
    "contract/vendors > links a key, and answers with the vendor",
  ],
  [
    "environment.proxies",
    "x-forwarded-for is believed from trusted proxies only.",
    "transport/interceptors/request-scope > is the peer's without a trusted proxy",
    "transport/interceptors/request-scope > is the first that no trusted proxy has",
  ],
  [
    "environment.log-level",
    "CAUSEWAY_LOG_LEVEL is a pino level, info by default.",
    "platform/configuration/configuration > has a default that works for everything",
    "platform/configuration/configuration > refuses the environment %j and names the setting",
  ],
  [
    "environment.byo-url",
    "byo_url uses the public address.",
    "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
  ],
  [
    "environment.redis",
    "CAUSEWAY_REDIS_URL shares request buckets among machines.",
    "redis/processes > two processes, 100 requests a minute, 300 calls: 100 pass",
    "redis/processes > when Redis is killed calls go on, each process by itself",
    "redis/shared-buckets > reads the same, bit for bit, as one in the process at the same times",
    "app/shared-request-limits > a model call is counted in Redis, by the id of its key",
    "app/shared-request-limits > a request of the tools is counted in Redis, by its address",
  ],
  [
    "environment.workers",
    "CAUSEWAY_WORKERS is the number of gateway processes; auto is the number of cores.",
    "platform/configuration/configuration > takes a number of workers, or auto for as many as the machine runs at once",
    "process/workers > hands connections to both",
    "process/workers > counts the calls of a key in one bucket",
    "process/workers > answers /metrics for all gateways, gauges included",
    "process/workers > replaces a gateway that dies, while the other goes on; no counter falls",
    "process/workers-signals > drains the streams of every worker and stops the database last",
    "process/workers-signals > kill -9 of the primary: the workers drain, end, and leave no database running",
  ],
  [
    "environment.invite-link",
    "Invite links use the public address.",
    "team/invite-mail > has arrived with both parts and the link below the public address",
  ],
]);
