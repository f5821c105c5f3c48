// Buyers for the bench: the card form beside a product, and purchases as a page makes them: session, card form,
// payment.

import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Ask,
  buyerOf,
  type Call,
  payCall,
  type Session,
  sessionCall,
  tokenise,
} from '@svc/service/start/stage/checkout';
import { freePort } from '@svc/tools/free-port';
import { build } from '@svc/tools/start/build';
import { json } from '@svc/tools/start/card-token';
import type { ChildPlan } from '@svc/tools/start/children';

export type CardForm = {
  readonly plan: Pick<ChildPlan, 'name' | 'entry' | 'env'>;
  /** What the service is told of it. */
  readonly settings: Readonly<Record<string, string>>;
};

/** Builds the card form and plans its process. */
export async function planCardForm(
  vaultUrl: string,
  { providerUrl, sharedKey }: { readonly providerUrl: string; readonly sharedKey: string },
): Promise<CardForm> {
  await build();
  const [port, internalPort] = await Promise.all([freePort(), freePort()]);
  const origin = `http://127.0.0.1:${port}`;
  return {
    plan: {
      name: 'card-form',
      entry: 'vault/src/main.ts',
      env: {
        ...{ VAULT_MODE: 'sandbox', VAULT_DRIVER: 'own-vault', VAULT_HOST: '127.0.0.1' },
        ...{ VAULT_PORT: String(port), VAULT_INTERNAL_PORT: String(internalPort) },
        ...{ VAULT_ORIGIN: origin, VAULT_PROVIDER_URL: providerUrl },
        ...{ VAULT_DATABASE_URL: vaultUrl, VAULT_SHARED_KEY: sharedKey },
        VAULT_KEY: randomBytes(32).toString('base64'),
      },
    },
    settings: {
      SVC_VAULT_ORIGIN: origin,
      SVC_VAULT_INTERNAL_URL: `http://127.0.0.1:${internalPort}`,
    },
  };
}

export type Shop = {
  readonly origin: string;
  readonly clientId: string;
  readonly authorization: string;
  readonly productCode: string;
};

/**
 * Makes one purchase of a new buyer. Returns how long the payment took, in ms: what a buyer waits for after the press
 * of the button, with the waits that a busy service asks of the page. Throws unless it succeeded.
 */
export async function buy(shop: Shop): Promise<number> {
  const buyer = buyerOf(randomUUID());
  const more = { captureMethod: 'automatic', currency: 'EUR' };
  const { authorization, origin } = shop;
  const sessions = `${origin}/v1/checkouts/sessions`;
  const opening = { headers: { authorization }, body: sessionCall(shop, buyer, more) };
  const session = await ask<Session>(sessions, opening);
  const token = await tokenise(session, ask);
  const began = performance.now();
  const paid = await ask<{ type: string }>(
    `${sessions}/${session.id}/process`,
    payCall(session, buyer, token),
  );
  if (paid.type !== 'success') throw new Error(`the payment is ${paid.type}`);
  return performance.now() - began;
}

const ask: Ask = async <T>(url: string, { headers, body }: Call) =>
  (await json(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })) as T;
