// The signs by which languages write currencies, without blanks and signs of direction. Drawn from Intl, which
// takes half a second to ask for all of them.

/** A currency, and the signs that mean no other one. */
const ownSigns = `
  ANG NAf | AWG Afl | HTG G | NPR नेरू रू | PAB B/. |
  AED د.إ. | AFN ؋ Af | AMD ֏ | AOA Kz | ARS AR$ $AR | AUD A$ AU$ $AU | AZN ₼ | BAM KM КМ | BBD BB$ Bds$ |
  BDT ৳ Tk | BGN лв. | BHD د.ب. | BMD BM$ $BM | BND BN$ $BN | BOB Bs | BRL R$ BR$ | BSD BS$ B$ | BWP P |
  BYN р. p. Br Br. р | BZD BZ$ $BZ | CAD CA$ $CA | CLP CL$ $CL | CNY CN¥ 元 ¥CN | COP CO$ $CO | CRC ₡ |
  CUP CU$ | CZK Kč | DKK Dkr | DOP DO$ RD$ | DZD د.ج. | EGP E£ ج.م. £E EG£ | EUR € | FJD FJ$ $FJ |
  FKP Fl£ FK£ £FK | GBP UK£ £GB | GEL ₾ ლ | GHS GH₵ ₵ | GIP £GI | GNF FG F.G. | GTQ Q | GYD GY$ |
  HKD HK$ $HK | HUF Ft | IDR Rp | ILS ₪ NIS | INR ₹ | IQD د.ع. | IRR ر.إ. ریال | ISK Ikr | JMD JM$ |
  JOD د.أ. | JPY JP¥ | KES Ksh | KGS ⃀ | KHR ៛ | KMF CF FC | KRW ￦ | KWD د.ك. | KYD KY$ | KZT ₸ | LAK ₭ |
  LBP L£ ل.ل. £LB £L | LRD $LR | LYD د.ل. | MAD د.م. | MGA Ar | MNT ₮ | MRU أ.م. UM | MXN MX$ $MX | MYR RM |
  NAD $NA | NGN ₦ | NIO $C | NOK NKr Nkr | NZD NZ$ $NZ | OMR ر.ع. | PLN zł zl | PYG ₲ Gs | QAR ر.ق. |
  RON lei レイ lej लेई | RUB ₽ rb | RWF RF F.Rw FR | SAR ر.س. | SBD SB$ $SB SI$ | SDG ج.س. | SGD $SG |
  SRD SR$ $SR | SSP SD£ | STN Db STD | SYP ل.س. S£ | THB ฿ | TMT ТМТ | TND د.ت. | TOP T$ $T | TRY ₺ |
  TTD TT$ $TT | TWD NT$ | TZS TSh | UAH ₴ | USD US$ $US щ.д. | UYU $U UY$ $UY | VND ₫ | WST $WS |
  XCD EC$ $EC | XCG Cg. Cg Cf | XOF فرانکCFA | XPF CFPF CFP FCFP | YER ر.ي. | ZAR R | ZMW ZK Kw | ZWG ZiG
`;

/** Signs of several currencies: `$` has 29. */
const sharedSigns = '$ ¥ kr £ L ₩ Rs K C$ ₱ FCFA Kr ￥ kr.';

const currencies: ReadonlyMap<string, string | null> = new Map([
  ...ownSigns.split('|').flatMap((entry) => {
    const [currency = '', ...signs] = entry.trim().split(/\s+/);
    return signs.map((sign) => [sign, currency] as const);
  }),
  ...sharedSigns.split(' ').map((sign) => [sign, null] as const),
]);

/** The currency of a sign; null for the sign of several, undefined for what is no sign. */
export const currencyOfSign = (sign: string): string | null | undefined => currencies.get(sign);
