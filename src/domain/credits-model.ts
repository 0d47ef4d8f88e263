import type { ModelPrice } from "../platform/configuration/model-price.ts";
import type { CallableVendor } from "./callable-vendor.ts";

/** A model of the credits catalogue, with the operator's credential for it. */
export interface CreditsCatalogModel {
  /** Id of the catalogue. */
  readonly id: string;
  /** What the vendor knows it by. */
  readonly model: string;
  readonly vendor: CallableVendor;
  readonly maxOutputTokens: number | undefined;
  readonly price: ModelPrice;
}
