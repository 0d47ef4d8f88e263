/** What an alias stands for. */
export interface AliasTarget {
  /** Vendor id or `custom/<slug>`. */
  readonly vendor: string;
  /** Undefined: the vendor's first model. */
  readonly modelId: string | undefined;
}
