// Amounts through the API and back, in every currency: JSON carries them exactly, and an amount
// that the provider cannot carry is refused. Contract §12.

import { exponentOf } from '@svc/contract/values/currencies';
import {
  assertCarried,
  mostMinor,
  toDecimal,
  toMajor,
  toMinor,
} from '../../service/src/domain/money/money.ts';
import { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import { type Random, seeded } from '../kit/random.ts';

// Currencies of ISO 4217 with another number of minor digits than two.
const exponents: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
      .split(' ')
      .map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};
const two = 'AUD BRL CAD CHF CNY DKK EUR GBP HUF INR MGA MXN NOK NZD PLN SEK TRY TWD USD ZAR';
const currencies = [...Object.keys(exponents), ...two.split(' ')];

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'taken';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};

/** Returns the error for one random amount; null when there is none. */
function judgeAmount(random: Random): string | null {
  const currency = random.pick(currencies);
  // Small and large amounts are equally likely: a random number of digits, then random digits.
  const most = 10 ** random.whole(1, 15) - 1;
  const share = random.next() + random.next() / 2 ** 32;
  const minor = Math.min(Math.floor(share * (most + 1)), mostMinor);
  const exponent = exponents[currency] ?? 2;
  const name = `${minor} of ${currency}`;
  if (exponentOf(currency) !== exponent) return `${currency} has ${exponentOf(currency)} decimals`;
  const [whole = '', fraction = ''] = toDecimal(minor, currency).split('.');
  if (fraction.length !== exponent || BigInt(whole + fraction) !== BigInt(minor)) {
    return `${name} is written ${toDecimal(minor, currency)}`;
  }
  const text = JSON.stringify(toMajor(minor, currency));
  if (toMinor(JSON.parse(text), currency) !== minor) return `${name} does not come back`;
  const finer = Number(`${random.whole(0, 999)}.${'0'.repeat(exponent)}${random.whole(1, 9)}`);
  if (codeOf(() => toMinor(finer, currency)) !== 'amount_precision') return `${finer} ${currency}`;
  const step = currency === 'MGA' ? 100 : exponent === 3 ? 10 : 1;
  const carried = codeOf(() => assertCarried(minor, { currency, provider: 'cardprovider' }));
  return (carried === 'taken') === (minor % step === 0) ? null : `${name} is ${carried}`;
}

/** Checks this many random amounts from a seed, and returns the errors. */
export function judgeAmounts(count: number, seed: number): string[] {
  const random = seeded(seed);
  const found: string[] = [];
  for (let number = 0; number < count && found.length < 5; number++) {
    const fault = judgeAmount(random);
    if (fault) found.push(`${fault} (amount ${number} of seed ${seed})`);
  }
  return found;
}
