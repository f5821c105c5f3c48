// Every text of the form, by key. A page may replace any of them (`options.texts`).

export const textKeys = [
  'title',
  'loading',
  'number',
  'expiry',
  'expiryPlaceholder',
  'cvc',
  'name',
  'postalCode',
  'cvcHint3',
  'cvcHint4',
  'brandDetected',
  'number_incomplete',
  'number_invalid',
  'expiry_incomplete',
  'expiry_past',
  'cvc_incomplete',
  'name_required',
  'postal_code_required',
  'brand_unsupported',
  'session_expired',
  'rate_limited',
  'card_declined',
  'unavailable',
] as const;
export type TextKey = (typeof textKeys)[number];
export type Texts = Readonly<Record<TextKey, string>>;
