// What the vault holds to while a session has no buyer yet, and whose pages its form is in.
// Contract §4. Spec: Unclaimed shell rules.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postCard, redeem, sha256, startTestVault, type TestVault } from '../test/harness.ts';
import { signParents } from './signatures.ts';

let vault: TestVault;
beforeAll(async () => {
  vault = await startTestVault();
});
afterAll(() => vault?.close());

describe('POST /form/tokens', () => {
  it('403 origin_not_allowed: a mount token in a form that other pages opened', async () => {
    const elsewhere = signParents(['https://evil.example'], vault.sharedKey).split('.')[1];
    const { status, body } = await postCard(vault, { parents: elsewhere });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'origin_not_allowed' });
    for (const parents of [undefined, 5, 'x'.repeat(101)]) {
      const answer = await postCard(vault, { parents });
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    }
  });
});

describe('POST /internal/card-tokens/redeem', () => {
  it('409 card_session_unclaimed: no claim has settled, and the token stays good', async () => {
    const claims = vault.claims();
    const { body } = await postCard(vault, { mountToken: vault.mountToken(claims) });
    const input = {
      tokenSha256: sha256(body.token),
      sessionId: claims.sessionId,
      clientId: claims.clientId,
      operationId: randomUUID(),
      claimedBy: randomUUID(),
    };
    expect(await redeem(vault, { ...input, claimedBy: null })).toMatchObject({
      status: 409,
      body: { code: 'card_session_unclaimed' },
    });
    const { claimedBy: _, ...unsaid } = input;
    expect((await redeem(vault, unsaid)).status).toBe(400);
    expect((await redeem(vault, input)).status).toBe(200);
  });
});
