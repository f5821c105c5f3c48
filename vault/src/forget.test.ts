// What the vault knows of a card goes with the card. Spec: Saved payment methods, deletion behaviour.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callSigned, postCard, redeem, startTestVault, type TestVault } from '../test/harness.ts';
import { signInternalCall } from './signatures.ts';

let vault: TestVault;
let database: pg.Pool;
beforeAll(async () => {
  vault = await startTestVault();
  database = new pg.Pool({ connectionString: vault.database.adminUrl, max: 2 });
  database.on('connect', (client) => client.on('error', () => undefined));
});
afterAll(async () => {
  await database.end();
  await vault.close();
});

const path = '/internal/card-tokens/forget';
const forgetCards = (body: unknown, header?: string) =>
  callSigned(vault, { path, body, ...(header === undefined ? {} : { header }) });

async function aCard() {
  const claims = vault.claims();
  const { body } = await postCard(vault, { mountToken: vault.mountToken(claims) });
  const tokenSha256 = createHash('sha256').update(String(body.token)).digest();
  const { rows } = await database.query<{ id: string }>(
    'select provider_payment_method_id as id from vault.card_tokens where token_sha256 = $1',
    [tokenSha256],
  );
  const { clientId, sessionId } = claims;
  const providerPaymentMethodId = rows[0]?.id ?? '';
  expect(providerPaymentMethodId).toMatch(/^pm_/);
  return { clientId, sessionId, providerPaymentMethodId, tokenSha256 };
}

async function rowsOf(providerPaymentMethodId: string): Promise<number> {
  const { rowCount } = await database.query(
    'select from vault.card_tokens where provider_payment_method_id = $1',
    [providerPaymentMethodId],
  );
  return rowCount ?? 0;
}

describe('POST /internal/card-tokens/forget', () => {
  it('200: every token of the card is gone, redeemed or not, and no other card’s', async () => {
    const [card, other] = [await aCard(), await aCard()];
    const { clientId, sessionId, providerPaymentMethodId } = card;
    const tokenSha256 = card.tokenSha256.toString('hex');
    const operation = { operationId: randomUUID(), claimedBy: randomUUID() };
    const redemption = { tokenSha256, sessionId, clientId, ...operation };
    expect((await redeem(vault, redemption)).status).toBe(200);
    await database.query(
      `insert into vault.card_tokens (token_sha256, session_id, client_id,
         provider_payment_method_id, brand, last_four, expiry_month, expiry_year, fingerprint,
         expires_at)
       select $2, session_id, client_id, provider_payment_method_id, brand, last_four,
         expiry_month, expiry_year, fingerprint, expires_at
       from vault.card_tokens where provider_payment_method_id = $1`,
      [providerPaymentMethodId, randomBytes(32)],
    );
    const { status, body } = await forgetCards({ clientId, providerPaymentMethodId });
    expect([status, body]).toEqual([200, { forgotten: 2 }]);
    expect(await rowsOf(providerPaymentMethodId)).toBe(0);
    expect(await rowsOf(other.providerPaymentMethodId)).toBe(1);
    expect((await redeem(vault, redemption)).body.code).toBe('card_token_unknown');
  });

  it('200 again: there is nothing left to forget', async () => {
    const { clientId, providerPaymentMethodId } = await aCard();
    await forgetCards({ clientId, providerPaymentMethodId });
    const again = await forgetCards({ clientId, providerPaymentMethodId });
    expect([again.status, again.body]).toEqual([200, { forgotten: 0 }]);
  });

  it("200: another client's card of that name stays", async () => {
    const { providerPaymentMethodId } = await aCard();
    const { body } = await forgetCards({ clientId: randomUUID(), providerPaymentMethodId });
    expect(body).toEqual({ forgotten: 0 });
    expect(await rowsOf(providerPaymentMethodId)).toBe(1);
  });

  it('401: unsigned, wrong key, signed for another path, over 30 s old; nothing is forgotten', async () => {
    const { clientId, providerPaymentMethodId } = await aCard();
    const input = { clientId, providerPaymentMethodId };
    const call = { method: 'POST', path, body: JSON.stringify(input) };
    const elsewhere = { ...call, path: '/internal/card-tokens/redeem' };
    for (const header of [
      '',
      signInternalCall(call, randomBytes(32), Date.now()),
      signInternalCall(elsewhere, vault.sharedKey, Date.now()),
      signInternalCall(call, vault.sharedKey, Date.now() - 31_000),
    ]) {
      const { status, body } = await forgetCards(input, header);
      expect([status, body.code]).toEqual([401, 'authentication_required']);
    }
    const empty = await fetch(vault.internalUrl + path, { method: 'POST' });
    expect(empty.status).toBe(401);
    expect(await rowsOf(providerPaymentMethodId)).toBe(1);
  });

  it('400: a signed body of another shape', async () => {
    const { clientId, providerPaymentMethodId } = await aCard();
    expect((await forgetCards({ clientId })).status).toBe(400);
    expect((await forgetCards({ clientId, providerPaymentMethodId: '' })).status).toBe(400);
    expect((await forgetCards({ clientId, providerPaymentMethodId, more: 1 })).status).toBe(400);
    expect(await rowsOf(providerPaymentMethodId)).toBe(1);
  });

  it('404: the public port does not forget', async () => {
    expect((await fetch(vault.url + path, { method: 'POST' })).status).toBe(404);
  });
});
