import type { DataSourceEvidence } from "../facts.ts";
import type { DataSourceResult } from "../fetch/outcome.ts";
import type { RepositoryAddress } from "../source/repository-address.ts";
import type { RepositoryHostClient, HostedRepositoryState } from "../source/repository-hosts.ts";

/** What was heard of a repository, and from whom. */
export interface RepositoryLookupResult {
  readonly outcome: DataSourceResult<HostedRepositoryState> | undefined;
  readonly evidence: readonly DataSourceEvidence[];
}

export const emptyRepositoryLookupResult: RepositoryLookupResult = {
  outcome: undefined,
  evidence: [],
};

/** The hosts that can be asked, by the host name of addresses. */
export class RepositoryHostClients {
  readonly #hosts: ReadonlyMap<string, RepositoryHostClient>;

  constructor(hosts: ReadonlyMap<string, RepositoryHostClient>) {
    this.#hosts = hosts;
  }

  /** Whether asking costs one request for all, so that nothing is saved by not asking. */
  supportsBatch(address: RepositoryAddress): boolean {
    return this.#hosts.get(address.host)?.supportsBatch === true;
  }

  /** One answer for each, in their order; null: nothing is asked. */
  async ask(
    addresses: readonly (RepositoryAddress | null)[],
  ): Promise<readonly RepositoryLookupResult[]> {
    const answers = addresses.map(() => emptyRepositoryLookupResult);
    await Promise.all(
      [...new Set(addresses.flatMap((address) => address?.host ?? []))].map((host) =>
        this.#askHost(host, addresses, answers),
      ),
    );
    return answers;
  }

  async #askHost(
    name: string,
    addresses: readonly (RepositoryAddress | null)[],
    answers: RepositoryLookupResult[],
  ): Promise<void> {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    const places = addresses.flatMap((address, index) =>
      address?.host === name && address.owner !== null ? [{ address, index }] : [],
    );
    const outcomes = await Promise.all(host.ask(places.map(({ address }) => address)));
    places.forEach(({ index }, position) => {
      const outcome = outcomes[position];
      if (outcome === undefined) return;
      answers[index] = { outcome, evidence: host.client.evidence("repository", outcome) };
    });
  }
}
