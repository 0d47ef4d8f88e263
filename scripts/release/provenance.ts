import { randomUUID } from "node:crypto";

/** What a release is made of. */
export interface Source {
  readonly commit: string;
  /** Whether the work tree has what no commit has. */
  readonly isChanged: boolean;
  /** SHA-256 of package-lock.json. */
  readonly lockFile: string;
}

export interface ProvenanceOptions {
  /** What was made. */
  readonly subjects: readonly {
    readonly name: string;
    readonly digest: { readonly sha256: string };
  }[];
  readonly source: Source;
  /** Who made it, and with what. */
  readonly builder: { readonly id: string; readonly version: Readonly<Record<string, string>> };
  readonly startedOn: Date;
  readonly finishedOn: Date;
}

/**
 * An in-toto statement with SLSA provenance: which commit and which lock file the files were
 * made of, and by whom. `buildType` is explained in docs/supply-chain.md.
 */
export function provenance(options: ProvenanceOptions): object {
  const { subjects, source, builder, startedOn, finishedOn } = options;
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects,
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:causeway:build:npm-run-release:v1",
        externalParameters: { commit: source.commit, uncommittedChanges: source.isChanged },
        internalParameters: {},
        resolvedDependencies: [
          { name: "source", digest: { gitCommit: source.commit } },
          { name: "package-lock.json", digest: { sha256: source.lockFile } },
        ],
      },
      runDetails: {
        builder,
        metadata: {
          invocationId: `urn:uuid:${randomUUID()}`,
          startedOn: startedOn.toISOString(),
          finishedOn: finishedOn.toISOString(),
        },
      },
    },
  };
}
