// Payment intents as the provider's own code in the buyer's page confirms them.

import { bodyOf, openIntent } from '../payments/checkouts.ts';
import type { Checkout, World } from '../world.ts';

export type PageIntent = {
  intentId: string;
  clientSecret: string;
  status: string;
  paymentId: string;
};

/** Returns the session's open intent, as its page gets it. */
export async function pageIntent(
  world: World,
  session: Checkout,
  given: Parameters<typeof openIntent>[2] = {},
): Promise<PageIntent> {
  return (await bodyOf<{ data: PageIntent }>(openIntent(world, session, given))).data;
}

/** Confirms as the provider's code in the buyer's page does: publishable key and client secret. */
export async function confirmInPage(
  world: World,
  intent: PageIntent,
  number: string,
): Promise<{ status: string; code?: string }> {
  const post = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(`${world.sandbox.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.account.publishableKey}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(fields).toString(),
    });
    return (await response.json()) as { id: string; status: string; error?: { code: string } };
  };
  const method = await post('/v1/payment_methods', {
    type: 'card',
    'card[number]': number,
    'card[exp_month]': '12',
    'card[exp_year]': '2034',
    'card[cvc]': '123',
  });
  const { status, error } = await post(`/v1/payment_intents/${intent.intentId}/confirm`, {
    payment_method: method.id,
    client_secret: intent.clientSecret,
  });
  return { status, ...(error ? { code: error.code } : {}) };
}
