import { refuse } from '../../implement.ts';
import type { Caller } from '../../ports.ts';

export type CustomerCaller = Extract<Caller, { kind: 'customer' }>;

/** Returns the caller as the customer of an opened page. Refuses customer_page_token_required. */
export const requireCustomer = (caller: Caller): CustomerCaller =>
  caller.kind === 'customer' ? caller : refuse('customer_page_token_required');
