// The options of one account at Svc. A shop with several accounts lists the provider once for each, under ids of
// its own, and gives each region its own.

import { Svc } from '@svc/server';
import { ShopPayments } from '@svc/server/shops';

export type SvcOptions = {
  /** Address of your Svc. */
  baseUrl: string;
  clientId: string;
  /** Of an owner or admin: the scopes checkout:write, payments:read, payments:write, refunds:write. */
  apiToken: string;
  /** Of the endpoint for `/hooks/payment/svc_<id>`. Without it webhooks are refused, and orders follow by the minute. */
  webhookSecret?: string;
  /** true takes the money at once; otherwise it is held, and taken when you capture the order. */
  capture?: boolean;
  /** Where the buyer comes back to, of your storefront. */
  successUrl?: string;
  cancelUrl?: string;
  /** What the buyer reads as the one line of the order. Default: Your order. */
  lineName?: string;
  /** How old a difference between Medusa and Svc must be, in seconds, before the job settles it. Default: 120. */
  settleAfterSeconds?: number;
};

const required = ['baseUrl', 'clientId', 'apiToken'] as const;

/** Throws one sentence that names what is missing; Medusa prints it and does not start. */
export function checkOptions(options: Partial<Record<string, unknown>>): void {
  for (const name of required) {
    if (typeof options[name] !== 'string' || options[name] === '') {
      throw new Error(
        `@svc/medusa: the option ${name} is missing. Give it in medusa-config, beside the provider's id; npm start of Svc prints the value.`,
      );
    }
  }
}

/** One account at Svc, with the calls that the plugin makes for it. */
export type Account = { readonly svc: Svc; readonly payments: ShopPayments };

export function openAccount({ baseUrl, clientId, apiToken }: SvcOptions): Account {
  const appInfo = { name: 'svc-medusa' };
  const svc = new Svc({ baseUrl, clientId, apiToken, timeout: 20_000, appInfo });
  return { svc, payments: new ShopPayments(svc) };
}
