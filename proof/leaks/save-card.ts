// A card that is saved without a charge, for the search for leaks: customer, set-up session, hand-over,
// and the merchant's list of what was saved.

import { randomUUID } from 'node:crypto';
import type { Fixture } from '../chaos/fixture.ts';
import type { Shop } from '../chaos/shop.ts';
import type { Canary, newCard } from './canaries.ts';

type Card = ReturnType<typeof newCard>;

/**
 * Saves the card; returns the values that must not leak, and the text that the merchant may see.
 */
export async function saveCard(
  fixture: Fixture,
  shop: Shop,
  card: Card,
): Promise<{ canaries: Canary[]; shown: string }> {
  const userId = randomUUID();
  const asMerchant = (path: string, body?: object) => send(fixture, path, { body });
  await asMerchant('/v1/customers', { id: userId, email: 'ada@example.com' });
  const made = await asMerchant('/v1/checkouts/sessions/setup', { userId });
  const { id, nonce, vault } = JSON.parse(made) as {
    id: string;
    nonce: string;
    vault: { mountToken: string; formUrl: string };
  };
  const { mountToken, formUrl } = vault;
  const parents = new URL(formUrl).searchParams.get('parents')?.split('.')[1] ?? '';
  const token = await shop.cardToken({ id, nonce, mountToken, parents }, card);
  const told = await send(fixture, `/v1/checkouts/sessions/${id}/card-setup`, {
    nonce,
    body: { token },
  });
  if (!told.includes('"success"')) throw new Error(`the card was not saved: ${told}`);
  return {
    shown: await asMerchant(`/v1/payment-methods?userUuid=${userId}`),
    canaries: [
      { name: 'card number', value: card.number },
      { name: 'card token', value: token },
      { name: 'session nonce', value: nonce },
      { name: 'mount token', value: mountToken },
    ],
  };
}

async function send(
  { apiUrl, merchant }: Fixture,
  path: string,
  { nonce, body }: { nonce?: string; body?: object | undefined },
): Promise<string> {
  const basic = Buffer.from(`${merchant.clientId}:${merchant.apiToken}`).toString('base64');
  const credential = nonce
    ? { 'x-checkout-session-token': nonce }
    : { authorization: `Basic ${basic}` };
  const answer = await fetch(apiUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { ...credential, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}
