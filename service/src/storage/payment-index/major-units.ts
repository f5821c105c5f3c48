// Amounts in major units, in SQL. Minor units of two currencies cannot be compared: ¥2500 is not more than €30.00.

import { unusualExponents } from '@svc/contract/values/currencies';

/** Returns SQL for the amount of the table `alias` in major units. */
export const majorSql = (alias: string): string =>
  `${alias}.amount_minor * (${caseByExponent(alias, (exponent) =>
    exponent === 0 ? '1' : `0.${'1'.padStart(exponent, '0')}`,
  )})`;

/** Returns the same amount in ten-thousandths, which are whole numbers in every currency. */
export const majorUnits = (alias: string): string =>
  `${alias}.amount_minor * (${caseByExponent(alias, (exponent) => String(10 ** (4 - exponent)))})`;

function caseByExponent(alias: string, unitOf: (exponent: number) => string): string {
  const cases = [...unusualExponents()].map(
    ([exponent, codes]) =>
      `when ${alias}.currency in ('${codes.join("', '")}') then ${unitOf(exponent)}`,
  );
  return `case ${cases.join(' ')} else ${unitOf(2)} end`;
}
