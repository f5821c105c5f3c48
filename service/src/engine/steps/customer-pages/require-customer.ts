import { refuse } from '../../implement.ts';
import type { Caller } from '../../ports.ts';

export type CustomerCaller = Extract<Caller, { kind: 'customer' }>;

/** The caller as the customer of an opened page. */
export const requireCustomer = (caller: Caller): CustomerCaller =>
  caller.kind === 'customer' ? caller : refuse('customer_page_token_required');
