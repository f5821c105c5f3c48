// The three modes of an installation, and where the card provider is.

/**
 * `sandbox`: our own stand-in of the providers, with a clock that can be moved. `test`: the real
 * provider with its test keys, no money moves. `live`: real money.
 */
export const modes = ['sandbox', 'test', 'live'] as const;
export type Mode = (typeof modes)[number];

/** The card provider's API, the default address in test and live mode. */
export const cardProviderUrl = 'https://api.stripe.com';

/** The word that the card provider's keys of this mode contain: `sk_test_…`. */
export const keyWordOf = (mode: Mode): 'test' | 'live' => (mode === 'live' ? 'live' : 'test');
