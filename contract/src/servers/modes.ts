// The three modes of an installation, and the address of the card provider.

/**
 * `sandbox`: our own replacement of the providers, with a clock that can be moved. `test`: the real
 * provider with its test keys; no money moves. `live`: real money.
 */
export const modes = ['sandbox', 'test', 'live'] as const;
export type Mode = (typeof modes)[number];

/** The card provider's API, the default address in test and live mode. */
export const cardProviderUrl = 'https://api.stripe.com';

/** The part of the card provider's keys that names the mode: `test` in `sk_test_…`. */
export const keyWordOf = (mode: Mode): 'test' | 'live' => (mode === 'live' ? 'live' : 'test');
