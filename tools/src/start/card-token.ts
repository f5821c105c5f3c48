// Makes a card form's token for a test card, in the way of the form, with either driver.

import { setTimeout as pause } from 'node:timers/promises';
import type { Block } from './block.ts';
import type { CardDriver } from './options.ts';

/** The parts of a session that are needed to open its card form. */
export type OpenForm = {
  readonly createdAt: string;
  readonly vault: {
    readonly formUrl: string;
    readonly formOrigin: string;
    readonly mountToken: string;
  };
};

type Fixture = Pick<Block, 'sandboxUrl' | 'providerPublishableKey'>;

export async function cardToken(
  fixture: Fixture,
  { createdAt, vault: { formUrl, formOrigin, mountToken } }: OpenForm,
  by: { readonly number: string; readonly driver: CardDriver },
): Promise<string> {
  // Names the embedding pages as the form does: the token is valid only for these pages.
  const parents = new URL(formUrl).searchParams.get('parents')?.split('.')[1];
  const card = {
    number: by.number,
    expiryMonth: 12,
    // The year follows the service's clock, which the sandbox may have moved years ahead.
    expiryYear: new Date(createdAt).getUTCFullYear() + 3,
    cvc: by.number.startsWith('37') ? '1234' : '123',
  };
  const given =
    by.driver === 'own-vault' ? card : { paymentMethodId: await hostedCard(fixture, card) };
  const made = await json(`${formOrigin}/form/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: formOrigin },
    body: JSON.stringify({ mountToken, parents, ...given }),
  });
  return made.token as string;
}

type TestCard = { number: string; expiryMonth: number; expiryYear: number; cvc: string };

/** Makes a payment method as the provider's fields do in the buyer's browser, with the publishable key. */
async function hostedCard(fixture: Fixture, card: TestCard): Promise<string> {
  const body = new URLSearchParams({
    key: fixture.providerPublishableKey,
    payment_user_agent: 'stripe.js/start',
    type: 'card',
    'card[number]': card.number,
    'card[exp_month]': String(card.expiryMonth),
    'card[exp_year]': String(card.expiryYear),
    'card[cvc]': card.cvc,
  });
  const made = await json(`${fixture.sandboxUrl}/v1/payment_methods`, {
    method: 'POST',
    body,
  });
  return made.id as string;
}

const patienceMs = 60_000;

/** Calls again, for a minute, when a limit or a machine under load asks to. */
export async function fetchInTurn(url: string, init: RequestInit): Promise<Response> {
  for (const until = performance.now() + patienceMs; ; ) {
    const response = await fetch(url, init);
    const seconds = Number(response.headers.get('retry-after'));
    const isAsked = [429, 503].includes(response.status) && seconds > 0;
    if (!isAsked || performance.now() + seconds * 1000 > until) return response;
    await response.body?.cancel();
    await pause(seconds * 1000);
  }
}

export async function json(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetchInTurn(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(url).pathname}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
