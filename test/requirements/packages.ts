import { tested, type Requirement } from "./requirement.ts";

/** Packages and other languages. */
export const packages: readonly Requirement[] = tested([
  [
    "packages.go",
    "gen/go is a Go module with the messages, Connect clients and gRPC clients.",
    "polyglot/journeys > calls every part of the server over %s",
    "polyglot/guide > makes a first typed call and reads a refusal",
  ],
  [
    "packages.python",
    "gen/python is a Python package with the messages, Connect clients and gRPC clients.",
    "polyglot/journeys > calls every part of the server over %s",
    "polyglot/guide > makes a first typed call and reads a refusal",
  ],
  [
    "packages.unchanged",
    "`npm run gen:go` and `npm run gen:python` write them, and the checks hold them unchanged.",
    "scripts/missing-toolchain > that is too old is said by the check, which passes",
    "scripts/missing-toolchain > that is too old fails the check in continuous integration",
  ],
  [
    "packages.client",
    "`causeway/client` has `createCausewayClient({ baseUrl, key })` with all services typed.",
    "client/create-causeway-client > has every service of the contract, with every method",
    "client/create-causeway-client > calls both services with the key",
  ],
  [
    "packages.everywhere",
    "The client runs in Node and in browsers, as JavaScript with types.",
    "client/package-exports > has the compiled client and the compiled contract among its exports",
    "client/package-exports > has a client of what runs in browsers as in Node",
  ],
]);
