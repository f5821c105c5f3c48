// A coupon that its merchant withdraws stops at once, for open sessions too. Contract §8.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vouchedSession } from '../../../test/customers/saved-cards.ts';
import { nowOf } from '../../../test/customers/subscriptions.ts';
import { callerOf } from '../../../test/harness.ts';
import { openIntent } from '../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { advance } from '../../../test/payments/planted.ts';
import { pay, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const inactive = expect.objectContaining({ code: 'coupon_inactive' });
const timeInSeconds = async (seconds: number) =>
  new Date((await nowOf(world)).getTime() + seconds * 1000);
const coupon = (given: object = {}) => aStoredCoupon(world.database, world.client, given);
const session = (code: string) => vouchedSession(world, { couponCodes: [code] });
const changeCoupon = (code: string, body: object) =>
  operations.updateCoupon({ code, body }, callerOf(world.token), world.ports, refuse);

describe('a coupon in an open session', () => {
  it('409 coupon_inactive: switched off, for a card and for an intent; on again it is good', async () => {
    const code = await coupon();
    const open = await session(code);
    await changeCoupon(code, { active: false });
    await expect(pay(world, open)).rejects.toEqual(inactive);
    await expect(openIntent(world, open)).rejects.toEqual(inactive);
    await changeCoupon(code, { active: true });
    expect(await pay(world, open)).toMatchObject({ body: { type: 'success' } });
  });

  it('409 coupon_inactive: its end is set to the past; set to the future it is good again', async () => {
    const code = await coupon();
    const open = await session(code);
    await changeCoupon(code, { endsAt: (await timeInSeconds(-1)).toISOString() });
    await expect(pay(world, open)).rejects.toEqual(inactive);
    // Another change does not undo the end.
    await changeCoupon(code, { maxRedemptions: 5 });
    await expect(pay(world, open)).rejects.toEqual(inactive);
    await changeCoupon(code, { endsAt: (await timeInSeconds(3600)).toISOString() });
    expect(await pay(world, open)).toMatchObject({ body: { type: 'success' } });
  });

  it('one that comes to its own end stays good for who had it before', async () => {
    const endsAt = await timeInSeconds(600);
    const code = await coupon({ endsAt });
    const open = await session(code);
    await advance(world, 900);
    await expect(session(code)).rejects.toMatchObject({ code: 'invalid_catalog_data' });
    // Setting the same end again is no withdrawal.
    await changeCoupon(code, { endsAt: endsAt.toISOString() });
    expect(await pay(world, open)).toMatchObject({ body: { type: 'success' } });
  });

  it('409 coupon_inactive: in an order that costs nothing', async () => {
    const code = await coupon({ percentOffBasisPoints: 10_000 });
    const open = await session(code);
    await changeCoupon(code, { active: false });
    await expect(pay(world, open)).rejects.toEqual(inactive);
  });
});
