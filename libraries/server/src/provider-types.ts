// What the card provider returns, as far as a merchant reads it; other fields are there too, as `unknown`.
// The names are the provider's own.

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

/** Changes only the fields that are given. An empty value removes a metadata key. */
export type UpdateCustomerParams = {
  email?: string;
  name?: string;
  metadata?: Record<string, string>;
};
