// A provider that refuses the key of an account: nothing that a buyer or a merchant repeats mends it.

/** Our code for it, on payments and in outcomes. */
export const keyRefused = 'key_refused';

/** Whether the provider refuses the key itself, or a right that it lacks. */
export const isKeyRefused = (status: number | null): boolean => status === 401 || status === 403;

/** What no buyer can mend, as our code: the key is refused, or the provider does not take our request. */
export const configurationCode = (
  status: number | null,
): typeof keyRefused | 'provider_configuration' =>
  isKeyRefused(status) ? keyRefused : 'provider_configuration';
