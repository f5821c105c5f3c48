// What a payment intent and a setup intent have in common when they are made and confirmed.
import type { Call } from '../core/core.ts';
import { invalidParameter } from '../requests/errors.ts';
import {
  assertExclusive,
  flag,
  readNested,
  readText,
  type Values,
} from '../requests/parameters.ts';
import type { Kinds } from '../state/resources.ts';
import { namesMethodTypes } from './intent-parameters.ts';

/**
 * The parameters of a confirmation that only a secret key may send: how money is taken is the
 * merchant's choice. The others are those of the provider's browser library.
 */
const secretOnly = [
  'allowed_payment_method_types',
  'capture_method',
  'error_on_requires_action',
  'off_session',
  'payment_method_options',
  'payment_method_types',
];

/** Throws 400 for a parameter with which a page would change how the merchant takes money. */
export const assertPageMaySay = ({ key, values }: Call): void => {
  const refused = key === 'publishable' ? secretOnly.find((name) => name in values) : undefined;
  if (refused === undefined) return;
  throw invalidParameter(
    'secret_key_required',
    refused,
    `The parameter '${refused}' cannot be used with a publishable API key. Please use a secret API key.`,
  );
};

/** Throws 400 for a parameter that has a meaning only together with `confirm`. */
export const assertConfirming = (values: Values, names: readonly string[]): boolean => {
  const confirms = flag(values, 'confirm') ?? false;
  for (const name of names) {
    // A flag that is off changes nothing, and the provider takes it.
    if (!confirms && name in values && values[name] !== false) {
      throw invalidParameter(undefined, name, `You cannot pass '${name}' without 'confirm'.`);
    }
  }
  return confirms;
};

export const automaticMethods = ({
  values,
}: Call): Kinds['payment_intent']['automatic_payment_methods'] => {
  const given = readNested(values, 'automatic_payment_methods');
  if (given && flag(given, 'enabled')) {
    assertExclusive(values, ['automatic_payment_methods', 'confirmation_method']);
  }
  if (!given) {
    return namesMethodTypes(values) ? null : { allow_redirects: 'always', enabled: true };
  }
  if (flag(given, 'enabled') === undefined) {
    const name = 'automatic_payment_methods[enabled]';
    throw invalidParameter('parameter_missing', name, `Missing required param: ${name}.`);
  }
  if (flag(given, 'enabled') === false) return null;
  return { allow_redirects: readText(given, 'allow_redirects') ?? 'always', enabled: true };
};

/** Throws 400 `url_invalid`. */
export const readReturnUrl = (values: Values): string | undefined => {
  const url = readText(values, 'return_url') || undefined;
  if (url === undefined || URL.canParse(url)) return url;
  throw invalidParameter('url_invalid', 'return_url', 'Not a valid URL');
};

type Confirmed = {
  readonly object: Pick<
    Kinds['payment_intent'] | Kinds['setup_intent'],
    'automatic_payment_methods'
  >;
  readonly notes: { readonly returnUrl: string | null };
};

/** Throws 400 when the buyer may have to leave the page and the call names no address to return to. */
export const assertReturnUrl = (
  { object, notes }: Confirmed,
  what: 'PaymentIntent' | 'SetupIntent',
): void => {
  const redirects = object.automatic_payment_methods?.allow_redirects;
  if (!redirects || redirects === 'never' || notes.returnUrl !== null) return;
  throw invalidParameter(
    undefined,
    'return_url',
    `This ${what} is configured to accept payment methods enabled in your Dashboard. Because ` +
      'some of these payment methods might redirect your customer off of your page, you must ' +
      "provide a `return_url`. If you don't want to accept redirect-based payment methods, set " +
      '`automatic_payment_methods[enabled]` to `true` and ' +
      '`automatic_payment_methods[allow_redirects]` to `never`.',
  );
};
