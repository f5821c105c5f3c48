// The fixture for a series of interleavings: a merchant with its own database and sandbox provider,
// and the buyer's side of the provider.

import { createHash } from 'node:crypto';
import type { Ports } from '../../service/src/engine/ports.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { aStoredCoupon } from '../../service/test/payments/coupons.ts';
import { openWalletShop } from '../../service/test/wallet/wallet-shop.ts';
import { startWorld, type World } from '../../service/test/world.ts';
import { runOutsideTurns } from '../kit/turns.ts';

export type Lane = {
  readonly world: World;
  readonly walletGatewayId: string;
  close(): Promise<void>;
};

/** A country whose buyers may pay with a wallet. */
export const walletCountry = 'NL';
const only = sql('proof_wallet_country', 'update gateways set countries = $2 where id = $1');
const forget = sql(
  'proof_forget_notices',
  "update provider_inbox set processed_at = svc_clock(), outcome = 'over' where processed_at is null",
);

/** Deletes unread notices of an earlier interleaving. */
export const forgetNotices = ({ world }: Lane) => world.database.write(forget, []);

/** A coupon of ten percent without a limit of uses. */
export const couponCode = 'TENTH';

export async function openLane(): Promise<Lane> {
  const world = await startWorld();
  await aStoredCoupon(world.database, world.client, { code: couponCode });
  const { gatewayId: walletGatewayId } = await openWalletShop(world);
  await world.database.write(only, [walletGatewayId, [walletCountry]]);
  return { world, walletGatewayId, close: () => world.close() };
}

const toForm = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

/** Calls the provider's API with the key of a server or of a page. */
export async function wire(
  world: World,
  call: { path: string; key: 'secretKey' | 'publishableKey'; fields?: Record<string, string> },
): Promise<Record<string, unknown>> {
  const response = await runOutsideTurns(() =>
    fetch(`${world.sandbox.url}${call.path}`, {
      method: call.fields ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${world.account[call.key]}`,
        ...(call.fields ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(call.fields ? { body: toForm(call.fields) } : {}),
    }).then((answer) => answer.json()),
  );
  return response as Record<string, unknown>;
}

export async function newMethod(world: World, number: string): Promise<string> {
  const made = await wire(world, {
    path: '/v1/payment_methods',
    key: 'publishableKey',
    fields: {
      type: 'card',
      'card[number]': number,
      'card[exp_month]': '12',
      'card[exp_year]': '2034',
      'card[cvc]': '123',
    },
  });
  return String(made.id);
}

/** Answers a challenge as its page does; does nothing when no challenge is waiting. */
export async function answerChallenge(
  world: World,
  intentId: string,
  outcome: 'approve' | 'fail' | 'cancel',
): Promise<boolean> {
  const response = await runOutsideTurns(() =>
    fetch(`${world.sandbox.url}/3ds/${intentId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `outcome=${outcome}`,
      redirect: 'manual',
    }),
  );
  return response.status < 400;
}

const isClaimed = sql<{ is_claimed: boolean; total_minor: string | null }>(
  'proof_is_claimed',
  "select status <> 'unclaimed' as is_claimed, total_minor from checkout_sessions where id = $1",
);

/**
 * The real ports, except that cards come from the schedule and not from typed numbers, and that the
 * two places where a charge begins are recorded.
 */
export function watchedPorts(
  world: World,
  cards: ReadonlyMap<string, string>,
  violation: (text: string) => void,
): Ports {
  const methods = new Map<string, { methodId: string; by: string }>();
  const numbers = new Map(
    [...cards].map(([token, number]) => [createHash('sha256').update(token).digest('hex'), number]),
  );
  const assertClaimed = async (sessionId: string, what: string, amountMinor?: number) => {
    const [row] = await world.database.read(isClaimed, [sessionId]);
    if (!row?.is_claimed) violation(`M12: ${what} for an unclaimed session`);
    if (amountMinor !== undefined && Number(row?.total_minor) !== amountMinor) {
      violation(`${what} for ${amountMinor}, and the session says ${row?.total_minor}`);
    }
  };
  return {
    ...world.ports,
    provider: (gateway) => {
      const provider = world.ports.provider(gateway);
      return {
        ...provider,
        authorize: async (call) => {
          await assertClaimed(call.sessionId, 'the provider was asked', call.amountMinor);
          return provider.authorize(call);
        },
      };
    },
    vault: {
      ...world.ports.vault,
      isTokenOf: (token) => numbers.has(createHash('sha256').update(token).digest('hex')),
      redeem: async ({ tokenSha256, operationId, sessionId, claimedBy }) => {
        await assertClaimed(sessionId, 'the vault was asked');
        if (claimedBy === null) return { kind: 'refused', code: 'card_session_unclaimed' };
        const number = numbers.get(tokenSha256);
        if (!number) return { kind: 'refused', code: 'card_token_unknown' };
        const kept = methods.get(tokenSha256) ?? {
          methodId: await newMethod(world, number),
          by: operationId,
        };
        methods.set(tokenSha256, kept);
        if (kept.by !== operationId) return { kind: 'refused', code: 'card_token_used' };
        const card = {
          providerPaymentMethodId: kept.methodId,
          brand: 'visa',
          lastFour: number.slice(-4),
          expiryMonth: 12,
          expiryYear: 2034,
          postalCode: null,
        };
        return { kind: 'redeemed', card };
      },
    },
  };
}
