// The currencies of ISO 4217, and how many decimals each has.

// Intl is wrong for some of these, so the table is kept here. Contract §12.
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

/** The number of decimals of the currency that has the most. */
export const mostDecimals = Math.max(...Object.values(exponents));

// The currencies that a price can have: ISO 4217 without metals, units of account and test codes. One text, so
// that a script that asks only for decimals does not carry it.
const currencies = `
  AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN
  BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN
  ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD
  JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT
  MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG
  QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT
  TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF
  XPF YER ZAR ZMW ZWG
`;

/** Whether there is a currency of this code. */
export const isCurrency = (code: string): boolean =>
  /^[A-Z]{3}$/.test(code) && currencies.includes(code);

/** Decimals of a currency (ISO 4217 exponent). */
export function exponentOf(currency: string): number {
  return exponents[currency] ?? 2;
}

/** The codes of the currencies that do not have two decimals, by their number of decimals. */
export const unusualExponents = (): Map<number, string[]> => {
  const found = new Map<number, string[]>();
  for (const [code, exponent] of Object.entries(exponents)) {
    found.set(exponent, [...(found.get(exponent) ?? []), code]);
  }
  return found;
};
