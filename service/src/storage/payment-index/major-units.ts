// Amounts in major units, in SQL. Minor units of two currencies cannot be compared: ¥2500 is not more than €30.00.

import { exponentOf } from '../../domain/money/money.ts';

/** The amount of the table `alias` in major units. */
export const majorSql = (alias: string): string =>
  `${alias}.amount_minor * (${byExponent(alias, (exponent) =>
    exponent === 0 ? '1' : `0.${'1'.padStart(exponent, '0')}`,
  )})`;

/** The same in ten-thousandths, which are whole in every currency. */
export const majorUnits = (alias: string): string =>
  `${alias}.amount_minor * (${byExponent(alias, (exponent) => String(10 ** (4 - exponent)))})`;

function byExponent(alias: string, unitOf: (exponent: number) => string): string {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  const cases = [0, 1, 3, 4]
    .map((exponent) => ({
      unit: unitOf(exponent),
      names: codes.filter((code) => exponentOf(code) === exponent),
    }))
    .filter(({ names }) => names.length > 0)
    .map(({ unit, names }) => `when ${alias}.currency in ('${names.join("', '")}') then ${unit}`);
  return `case ${cases.join(' ')} else ${unitOf(2)} end`;
}
