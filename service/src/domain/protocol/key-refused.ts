// The case that a provider refuses the key of an account: no repeat by a buyer or a merchant helps.

/** Our code for it, on payments and in outcomes. */
export const keyRefused = 'key_refused';

/** Whether the provider refuses the key itself, or the key lacks a permission. */
export const isKeyRefused = (status: number | null): boolean => status === 401 || status === 403;

/**
 * Our code for a failure that no buyer can solve: the key is refused, or the provider does not
 * accept our request.
 */
export const configurationCode = (
  status: number | null,
): typeof keyRefused | 'provider_configuration' =>
  isKeyRefused(status) ? keyRefused : 'provider_configuration';
