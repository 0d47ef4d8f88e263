import { lookupTable } from "../../platform/lookup-table.ts";
import type { CuratedEntry } from "../verdict/verdict.ts";

/**
 * What maintainers have said in public where their registry carries no mark of
 * it, by ecosystem and canonical name. An entry needs a statement of the
 * maintainers themselves, and names where it can be read; silence is no entry.
 */
export const curatedEntries = lookupTable<CuratedEntry>({
  "npm moment": {
    kind: "note",
    statement: "Its maintainers call it a legacy project in maintenance mode.",
    source: "https://momentjs.com/docs/#/-project-status/",
  },
  "pypi pycrypto": {
    kind: "deprecated",
    statement: "Its maintainers call it unmaintained, obsolete and insecure.",
    source: "https://www.pycrypto.org",
    replacement: "pycryptodome",
  },
  "pypi nose": {
    kind: "deprecated",
    statement: "Its maintainers ask new projects to use another test runner.",
    source: "https://nose.readthedocs.io/en/latest/",
    replacement: "pytest",
  },
  "pypi sklearn": {
    kind: "deprecated",
    statement: "Its maintainers ask to depend on scikit-learn instead.",
    source: "https://github.com/scikit-learn/sklearn-pypi-package",
    replacement: "scikit-learn",
  },
  "rubygems paperclip": {
    kind: "deprecated",
    statement: "Its maintainers have deprecated it in favour of Active Storage.",
    source: "https://github.com/thoughtbot/paperclip#readme",
    replacement: "activestorage",
  },
  "rubygems sass": {
    kind: "deprecated",
    statement: "Ruby Sass reached its end of life on 2019-03-26.",
    source: "https://sass-lang.com/ruby-sass/",
    replacement: "sass-embedded",
  },
  "rubygems factory_girl": {
    kind: "deprecated",
    statement: "Its maintainers have renamed it.",
    source: "https://github.com/thoughtbot/factory_bot#readme",
    replacement: "factory_bot",
  },
  "rubygems compass": {
    kind: "deprecated",
    statement: "Its maintainers say that it is no longer maintained.",
    source: "https://github.com/Compass/compass#readme",
  },
  "go github.com/dgrijalva/jwt-go": {
    kind: "deprecated",
    statement: "Its maintainer has handed it over to another module path.",
    source: "https://github.com/dgrijalva/jwt-go#readme",
    replacement: "github.com/golang-jwt/jwt",
  },
  "go github.com/boltdb/bolt": {
    kind: "deprecated",
    statement: "Its maintainer considers it finished and points to a fork that is worked on.",
    source: "https://github.com/boltdb/bolt#readme",
    replacement: "go.etcd.io/bbolt",
  },
  "maven log4j:log4j": {
    kind: "deprecated",
    statement: "Log4j 1 reached its end of life on 2015-08-05.",
    source: "https://logging.apache.org/log4j/1.x/",
    replacement: "org.apache.logging.log4j:log4j-core",
  },
});

/** The entry of a package by its canonical name. */
export function curatedEntry(ecosystem: string, name: string): CuratedEntry | undefined {
  return curatedEntries.get(`${ecosystem} ${name}`);
}
