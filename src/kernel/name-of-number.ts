/** The name of an enum's number; undefined for none and for one that the contract does not define. */
export function nameOfNumber<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
  number: number | undefined,
): Name | undefined {
  const names = Object.keys(numbers) as Name[];
  return names.find((name) => numbers[name] === number);
}
