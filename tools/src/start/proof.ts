// One real payment through the whole product, as a test that the start works: session, card form token,
// hold, capture, and the signed event as the shop verified it.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Svc } from '@svc/server';
import { demoBuyerEmail } from '@svc/service/start/seed';
import type { Block } from './block.ts';
import { cardToken, json, type OpenForm } from './card-token.ts';
import type { CardDriver } from './options.ts';

export type ProofStep = { readonly name: string; readonly ms: number };

// Deliveries that an earlier start left behind may come first.
const eventWithinMs = 40_000;

/** Pays, or throws what went wrong. */
export async function payAsProof(
  block: Omit<Block, 'readyMs'>,
  driver: CardDriver,
): Promise<{ paymentId: string; amount: string; steps: ProofStep[] }> {
  const steps: ProofStep[] = [];
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    steps.push({ name, ms: performance.now() - from });
    return result;
  };
  const svc = new Svc(block.providerSecretKey, {
    baseUrl: block.apiUrl,
    clientId: block.clientId,
    apiToken: block.apiToken,
  });
  const buyer = { userId: block.userId, email: demoBuyerEmail };

  const created = await timed('session', () =>
    svc.checkout.sessions.create({
      billingApiUrl: block.apiUrl,
      checkoutBaseUrl: block.checkoutUrl,
      clientId: block.clientId,
      captureMethod: 'manual',
      currency: 'EUR',
      products: [{ code: block.productCode, quantity: 1 }],
      account: buyer,
      // The payment's events go only to the demo shop, whatever other endpoints the merchant has.
      metadata: { isStartProof: 'true' },
    }),
  );
  if (!('sessionId' in created)) throw new Error(`no session: status ${created.status}`);
  const { sessionId, nonce } = created;

  const token = await timed('card form', () => tokenise(block, { sessionId, nonce, driver }));
  const { paymentId } = await timed('hold', () =>
    holdPayment(block, { sessionId, nonce, buyer, token }),
  );
  const payment = await timed('capture', () =>
    svc.request('PUT', `/v1/payments/${paymentId}/capture`, {}, { idempotencyKey: randomUUID() }),
  );
  const { status, amount, currency } = payment as {
    status: string;
    amount: number;
    currency: string;
  };
  if (status !== 'succeeded') throw new Error(`the capture ended as ${status}`);
  await timed('signed webhook', () => waitForEvent(block.demoShopUrl, paymentId));
  return { paymentId, amount: `${amount.toFixed(2)} ${currency}`, steps };
}

type Session = { readonly sessionId: string; readonly nonce: string };

async function tokenise(
  block: Omit<Block, 'readyMs'>,
  session: Session & { readonly driver: CardDriver },
): Promise<string> {
  const read = await json(`${block.apiUrl}/v1/checkouts/sessions/${session.sessionId}`, {
    headers: { 'x-checkout-session-token': session.nonce },
  });
  return cardToken(block, read as unknown as OpenForm, { number: '4242424242424242', ...session });
}

async function holdPayment(
  block: Omit<Block, 'readyMs'>,
  call: Session & { buyer: { userId: string; email: string }; token: string },
): Promise<{ paymentId: string }> {
  const { sessionId, nonce, buyer, token } = call;
  const answer = await json(`${block.apiUrl}/v1/checkouts/sessions/${sessionId}/process`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-checkout-session-token': nonce,
      'x-user-id': buyer.userId,
    },
    body: JSON.stringify({
      sessionId,
      tokenizedData: { provider: 'cardprovider', type: 'card', token },
      accountData: buyer,
    }),
  });
  if (answer.status !== 'authorized') throw new Error(`the hold ended as ${answer.type}`);
  return { paymentId: answer.paymentId as string };
}

async function waitForEvent(shopUrl: string, paymentId: string): Promise<void> {
  const deadline = performance.now() + eventWithinMs;
  while (performance.now() < deadline) {
    const text = await (await fetch(`${shopUrl}/webhooks.json`)).text();
    if (hasPurchase(JSON.parse(text) as Deliveries, paymentId)) return;
    await pause(25);
  }
  throw new Error(`no verified item.purchased for ${paymentId} within ${eventWithinMs / 1000} s`);
}

type Deliveries = { data: { type: string; verified: boolean; paymentId: string | null }[] };

const hasPurchase = ({ data }: Deliveries, paymentId: string): boolean =>
  data.some((one) => one.type === 'item.purchased' && one.verified && one.paymentId === paymentId);
