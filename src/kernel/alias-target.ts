/** What an alias stands for. */
export interface AliasTarget {
  /** Vendor id or `custom/<slug>`. */
  readonly vendor: string;
  /** Undefined: the vendor's first model. */
  readonly modelId: string | undefined;
  /** The entry of the credits catalogue that it names, by id; several may sell one model. */
  readonly catalogueId?: string;
}
