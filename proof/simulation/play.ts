// The plan of one schedule: the payments at its start, and the requests about them.

import type { Random } from '../kit/random.ts';
import type { PlannedRequest } from './clients.ts';
import type { Fixture } from './fixture.ts';
import type { Cards, Purchase, Shop } from './shop.ts';
import type { Horizon } from './surroundings.ts';
import type { VirtualTime } from './virtual-time.ts';

export type Play = {
  readonly wishes: readonly PlannedRequest[];
  readonly horizon: Horizon;
  readonly isMeddled: boolean;
  readonly noticeWay: 'now' | 'late' | 'never';
};

type PlayOptions = {
  readonly shop: Shop;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly fixture: Fixture;
};

type Theme = 'holds' | 'refunds' | 'attempts';

/** Creates the payments without faults, and draws what happens to them. */
export async function planPlay(given: PlayOptions): Promise<Play> {
  const { shop, random, time, fixture } = given;
  const wishes: PlannedRequest[] = [];
  const themes: Theme[] = [];
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  for (let number = 1; number <= count; number++) {
    const theme = random.pick<Theme>(['holds', 'holds', 'holds', 'refunds', 'attempts']);
    themes.push(theme);
    const purchase = await setUp(given, theme);
    wishes.push(...drawWishes(random, purchase, { theme, from: wishes.length, shop }));
    await time.moveTo(time.ms + 1000);
  }
  await shop.learnNames(fixture.monitor);
  const isMeddled = fixture.mode === 'guarded' && random.chance(0.35);
  return {
    wishes,
    horizon: drawHorizon(given, themes),
    isMeddled,
    noticeWay: random.pick(['now', 'now', 'late', 'never']),
  };
}

/**
 * The unguarded provider shows what no provider protects by its state: charges and refunds. It also
 * lacks the real provider's protection of holds, so the end of a hold, and keys that are forgotten
 * while a hold is open, are shown only with the guarded provider.
 */
function drawHorizon({ random, fixture }: PlayOptions, themes: readonly Theme[]): Horizon {
  const wanted = random.pick<Horizon>([
    'seconds',
    'leases',
    'leases',
    'leases',
    'a day',
    'the hold',
    'the hold',
  ]);
  if (fixture.mode === 'guarded') return wanted;
  if (wanted === 'the hold') return 'leases';
  return wanted === 'a day' && themes.some((theme) => theme !== 'refunds') ? 'leases' : wanted;
}

async function setUp({ shop, random }: PlayOptions, theme: Theme): Promise<Purchase> {
  const refunded: Cards = random.pick(['approved', 'approved', 'refund fails', 'refund pends']);
  if (theme === 'refunds') {
    const purchase = await shop.openSession('automatic', refunded);
    await shop.process(purchase);
    return purchase;
  }
  const attempted: Cards = random.pick(['approved', 'approved', 'declined', 'challenged']);
  const purchase = await shop.openSession(
    theme === 'attempts' && random.chance(0.5) ? 'automatic' : 'manual',
    theme === 'attempts' ? attempted : 'approved',
  );
  if (theme === 'holds') await shop.process(purchase);
  return purchase;
}

type RequestTheme = { readonly theme: Theme; readonly from: number; readonly shop: Shop };

function drawWishes(
  random: Random,
  purchase: Purchase,
  { theme, from, shop }: RequestTheme,
): PlannedRequest[] {
  const kinds: PlannedRequest['kind'][] = [];
  const count = random.whole(2, 3);
  for (let number = 0; number < count; number++) {
    if (theme === 'holds') kinds.push(random.pick(['capture', 'capture', 'cancel']));
    else kinds.push(theme === 'refunds' ? 'refund' : 'process');
  }
  let before: PlannedRequest | undefined;
  return kinds.map((kind, number) => {
    // The same key again from another process, or a new key.
    const isRepeat = before?.kind === kind && (kind === 'process' || random.chance(0.45));
    const wish: PlannedRequest = {
      name: `client ${from + number + 1}`,
      kind,
      purchase,
      key: isRepeat && before ? before.key : `${shop.clientId}-${from + number}`,
      amount: isRepeat && before ? before.amount : random.pick([null, 5, 10, 15]),
    };
    before = wish;
    return wish;
  });
}
