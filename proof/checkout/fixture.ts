// The fixture for a series of interleavings: a merchant with its own database and sandbox provider,
// and the buyer's side of the provider.

import type { Ports } from '../../service/src/engine/ports.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { aStoredCoupon } from '../../service/test/payments/coupons.ts';
import { openWalletShop } from '../../service/test/wallet/wallet-shop.ts';
import { CardVault } from '../kit/card-vault.ts';
import { type ActorFixture, openActorFixture } from '../kit/fixture.ts';

export type Fixture = ActorFixture & { readonly walletGatewayId: string };

/** A country whose buyers may pay with a wallet. */
export const walletCountry = 'NL';
const only = sql('proof_wallet_country', 'update gateways set countries = $2 where id = $1');
const forget = sql(
  'proof_forget_notices',
  "update provider_inbox set processed_at = svc_clock(), outcome = 'over' where processed_at is null",
);

/** Deletes unread notices of an earlier interleaving. */
export const forgetNotices = ({ world }: Fixture) => world.database.write(forget, []);

/** A coupon of ten percent without a limit of uses. */
export const couponCode = 'TENTH';

export async function openFixture(): Promise<Fixture> {
  const fixture = await openActorFixture();
  const { world } = fixture;
  await aStoredCoupon(world.database, world.client, { code: couponCode });
  const { gatewayId: walletGatewayId } = await openWalletShop(world);
  await world.database.write(only, [walletGatewayId, [walletCountry]]);
  return { ...fixture, walletGatewayId };
}

const isClaimed = sql<{ is_claimed: boolean; total_minor: string | null }>(
  'proof_is_claimed',
  "select status <> 'unclaimed' as is_claimed, total_minor from checkout_sessions where id = $1",
);

/**
 * The real ports, except that cards come from the plan and not from typed numbers, and that the
 * two places where a charge begins are recorded.
 */
export async function watchedPorts(
  { world, account }: Fixture,
  cards: ReadonlyMap<string, string>,
  violation: (text: string) => void,
): Promise<Ports> {
  const vault = new CardVault();
  for (const [token, number] of cards) vault.keep(token, await account.makeCard(number), number);
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
      ...vault,
      redeem: async (call) => {
        await assertClaimed(call.sessionId, 'the vault was asked');
        if (call.claimedBy === null) return { kind: 'refused', code: 'card_session_unclaimed' };
        return vault.redeem(call);
      },
    },
  };
}
