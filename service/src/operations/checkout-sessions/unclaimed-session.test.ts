// What an unclaimed shell refuses, and how it ends. Spec: Unclaimed shell rules. Contract §3, §4.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../test/harness.ts';
import {
  aShell,
  claim,
  decline,
  eventsOf,
  expireNow,
  openIntent,
  paymentsOf,
  readState,
  vaultCharge,
} from '../../../test/payments/checkouts.ts';
import { aCardToken, cards, payWith, startWorld, type World } from '../../../test/world.ts';
import type { Ports } from '../../engine/ports.ts';
import { expireSessions } from '../../engine/runs/checkout-sessions/expire-sessions.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let silent: Ports;
beforeAll(async () => {
  world = await startWorld();
  silent = {
    ...world.ports,
    provider: () => {
      throw new Error('the provider was asked');
    },
    vault: { ...world.ports.vault, redeem: () => Promise.reject(new Error('the vault was asked')) },
  };
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const stored = sql('test_unclaimed_row', 'select 1 from checkout_sessions where id = $1');
const rowOf = async (id: string) => (await world.database.read(stored, [id]))[0];

describe('a shell that nobody claimed', () => {
  const ageShell = (ms: number) =>
    sql(
      `test_shell_age_${ms}`,
      `update checkout_sessions
    set expires_at = svc_clock() - ${ms} * interval '1 millisecond' where id = $1`,
    );
  const old = ageShell(3_600_001);
  const sweep = () =>
    expireSessions(world.ports, {
      limit: 10,
      onError: (_, error) => {
        throw error;
      },
    });

  it('is removed an hour after it ran out, without an event; until then it says so', async () => {
    const [recent, gone] = [await aShell(world), await aShell(world)];
    await expireNow(world, recent);
    await world.database.write(old, [gone.sessionId]);
    await sweep();
    expect(await rowOf(gone.sessionId)).toBeUndefined();
    expect(await rowOf(recent.sessionId)).toBeDefined();
    expect(await eventsOf(world, gone.sessionId)).toEqual([]);
    await expect(claim(world, gone)).rejects.toEqual(code('checkout_session_not_found'));
  });

  it('the database deletes nothing that a buyer was attached to', async () => {
    const shell = await aShell(world);
    await claim(world, shell);
    const remove = sql('test_delete_session', 'delete from checkout_sessions where id = $1');
    await expect(world.database.write(remove, [shell.sessionId])).rejects.toThrow(
      `session ${shell.sessionId} is kept`,
    );
  });
});

describe('M12: nothing is charged before the claim', () => {
  it('Spec 4.1 unclaimed process, unclaimed money · Spec 7.3.6 · 409 checkout_session_data_attachment_required: process; vault and provider are not asked', async () => {
    const shell = await aShell(world);
    const token = await aCardToken(world, shell, cards.approved);
    await expect(payWith({ ...world, ports: silent }, shell, token)).rejects.toEqual(
      code('checkout_session_data_attachment_required'),
    );
    expect(await paymentsOf(world, shell)).toEqual([]);
    await claim(world, shell);
    expect(await payWith(world, shell, token)).toMatchObject({ body: { status: 'succeeded' } });
  });

  it('the database itself takes no payment of a shell, and no way back to one', async () => {
    const shell = await aShell(world);
    const payment = sql(
      'test_shell_payment',
      `insert into payments (id, client_id, session_id, type, provider, gateway_id, amount_minor,
         currency, capture_method, status, is_live, created_at, updated_at)
       values ($1, $2, $3, 'purchase', 'cardprovider', $4, 100, 'EUR', 'automatic', 'pending', false,
         svc_clock(), svc_clock())`,
    );
    const values = [newId(), world.client.id, shell.sessionId, world.gatewayId];
    await expect(world.database.write(payment, values)).rejects.toThrow('takes no payment');
    await claim(world, shell);
    const attacks = [
      "update checkout_sessions set status = 'unclaimed' where id = $1",
      'update checkout_sessions set total_minor = 1 where id = $1',
      'update checkout_sessions set user_id = gen_random_uuid() where id = $1',
      "update checkout_sessions set lines = '[]' where id = $1",
      "update checkout_sessions set status = 'completed' where id = $1",
    ];
    for (const [n, text] of attacks.entries()) {
      const attack = sql(`test_session_attack_${n}`, text);
      await expect(world.database.write(attack, [shell.sessionId]), text).rejects.toMatchObject({
        code: '23514',
      });
    }
  });

  it('a claim and a payment at once, over and over: paid with a claim, or refused', async () => {
    for (let round = 0; round < 8; round++) {
      const shell = await aShell(world);
      const token = await aCardToken(world, shell, cards.approved);
      const [claimed, paid] = await Promise.allSettled([
        claim(world, shell),
        payWith(world, shell, token),
      ]);
      expect(claimed.status).toBe('fulfilled');
      if (paid.status === 'rejected') {
        expect(paid.reason).toEqual(code('checkout_session_data_attachment_required'));
      }
      const payments = await paymentsOf(world, shell);
      expect(payments).toHaveLength(paid.status === 'fulfilled' ? 1 : 0);
    }
  });

  it('Spec 4.1 unclaimed intent, unclaimed decline · 409 checkout_session_data_attachment_required: intents and decline', async () => {
    const shell = await aShell(world);
    const required = code('checkout_session_data_attachment_required');
    await expect(openIntent(world, shell, {}, { ports: silent })).rejects.toEqual(required);
    await expect(decline(world, shell, undefined, { ports: silent })).rejects.toEqual(required);
    expect(await readState(world, shell)).toMatchObject({
      status: 'unclaimed',
      paymentId: null,
    });
  });

  it('Spec 4.1 unclaimed vault charge · Spec 7.3.7 · 503 checkout_session_claim_pending: the vault charge is held, and nothing is asked', async () => {
    const shell = await aShell(world);
    const token = await aCardToken(world, shell, cards.approved);
    const from = performance.now();
    await expect(vaultCharge(world, shell, token, { ports: silent })).rejects.toEqual(
      code('checkout_session_claim_pending'),
    );
    expect(performance.now() - from).toBeGreaterThan(900);
    expect(await paymentsOf(world, shell)).toEqual([]);
    await claim(world, shell);
    expect(await vaultCharge(world, shell, token)).toMatchObject({ body: { type: 'success' } });
  });

  it('the vault charge goes on by itself when the claim settles meanwhile', async () => {
    const shell = await aShell(world);
    const token = await aCardToken(world, shell, cards.approved);
    let reads = 0;
    const read: typeof world.database.read = (query, values) => {
      reads += 1;
      return world.database.read(query, values);
    };
    const ports = { ...world.ports, database: { ...world.database, read } };
    const charged = vaultCharge(world, shell, token, { ports });
    await expect.poll(() => reads).toBeGreaterThan(2);
    await claim(world, shell);
    expect(await charged).toMatchObject({ body: { type: 'success', status: 'succeeded' } });
    const entries = (await world.ledger()).filter(({ kind }) => kind === 'capture');
    const [payment] = await paymentsOf(world, shell);
    expect(entries.filter(({ intent }) => intent === payment?.provider_intent_id)).toHaveLength(1);
  });

  it('the vault refuses to redeem without a claimed buyer, whatever the service believes', async () => {
    const shell = await aShell(world);
    const token = await aCardToken(world, shell, cards.approved);
    const { createHash } = await import('node:crypto');
    const call = {
      tokenSha256: createHash('sha256').update(token).digest('hex'),
      sessionId: shell.sessionId,
      clientId: world.client.id,
      operationId: newId(),
      claimedBy: null,
    };
    expect(await world.ports.vault.redeem(call)).toEqual({
      kind: 'refused',
      code: 'card_session_unclaimed',
    });
  });
});
