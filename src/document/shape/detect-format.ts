import type { StringFormat } from "./shape.ts";

const forms: readonly (readonly [StringFormat, RegExp])[] = [
  ["uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ["date", /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/],
  [
    "date-time",
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/,
  ],
  ["email", /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/],
  ["uri", /^[A-Za-z][A-Za-z0-9+.-]{1,15}:\/\/[^\s<>"{}|\\^`]+$/],
];

/** Longer strings are not looked at. */
const maximumLength = 2048;

/** The format that a string has, of those that are told apart; undefined: none of them. */
export function detectStringFormat(text: string): StringFormat | undefined {
  if (text.length < 6 || text.length > maximumLength) return undefined;
  return forms.find(([, form]) => form.test(text))?.[0];
}
