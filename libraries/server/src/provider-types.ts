// What the card provider answers, as much as a merchant reads of it; the rest is there too, as
// `unknown`. The provider's own names are kept.

/** A checkout session of the card provider. */
export type ProviderSession = {
  id: string;
  object: 'checkout.session';
  status: 'open' | 'complete' | 'expired' | (string & {}) | null;
  payment_status: 'paid' | 'unpaid' | 'no_payment_required' | (string & {});
  mode: 'payment' | 'setup' | 'subscription' | (string & {});
  /** Minor units. */
  amount_subtotal: number | null;
  amount_total: number | null;
  currency: string | null;
  client_reference_id: string | null;
  customer_email: string | null;
  url: string | null;
  /** Unix seconds. */
  created: number;
  expires_at: number;
  livemode: boolean;
  metadata: Record<string, string> | null;
  [more: string]: unknown;
};

/** The price of a line; amounts in minor units. */
export type ProviderPrice = {
  id: string;
  object: 'price';
  currency: string;
  unit_amount: number | null;
  [more: string]: unknown;
};

export type ProviderLineItem = {
  id: string;
  object: 'item';
  description: string | null;
  currency: string;
  amount_subtotal: number;
  amount_total: number;
  quantity: number | null;
  price: ProviderPrice | null;
  [more: string]: unknown;
};

/** A customer of the card provider. */
export type ProviderCustomer = {
  id: string;
  object: 'customer';
  email: string | null;
  name?: string | null;
  metadata: Record<string, string>;
  created: number;
  livemode: boolean;
  [more: string]: unknown;
};

export type ProviderPage<T> = {
  object: 'list';
  data: T[];
  has_more: boolean;
  url: string;
};

export type CreateCustomerParams = {
  email: string;
  name?: string;
  metadata?: Record<string, string>;
};

/** What is named changes; a metadata key goes by an empty value. */
export type UpdateCustomerParams = {
  email?: string;
  name?: string;
  metadata?: Record<string, string>;
};
