// Random histories of a wallet's order: approved, paid, refunded and reversed, by us, by its buyer
// and by hand, with lost requests and responses, and random deliveries of the wallet's notices,
// some read from a lagging copy. They are judged by the wallet's own records. Reliability W1, W2,
// F14, F26, F35.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  runRecovery as anHourLater,
  recoverUnclearWork,
} from '../../../../test/payments/checkouts.ts';
import { readAllNotices } from '../../../../test/payments/notices.ts';
import { advance, aRefund } from '../../../../test/payments/planted.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { aSession, type Checkout, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { runAudit } from '../audit/run-audit.ts';
import { receiveNotice } from './receive-notice.ts';

type NoticeInput = Parameters<typeof receiveNotice>[0];

let world: World;
let shop: WalletShop;
let server: TestServer;
/** The wallet's notices so far; none is delivered before a history delivers it. */
const told: NoticeInput[] = [];
const played: { readonly paymentId: string; readonly orderId: string }[] = [];
beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
  server = await aServer(world.ports, {
    receiveNotice: async (notice) => {
      told.push(notice);
      return 'stored';
    },
  });
  await shop.tell(server);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);

const recoverOperations = () => recoverUnclearWork(world);

const listUnderWay = async (): Promise<unknown[]> => {
  const listed = await world.control('GET', '/_control/wallet/webhooks');
  const { deliveries } = listed as { deliveries: { state: string }[] };
  return deliveries.filter(({ state }) => state === 'pending' || state === 'sending');
};
const deliverNotice = async (notice: NoticeInput) =>
  expect(await receiveNotice(notice, world.ports)).not.toBe('refused');

type Money = { id: string; status: string; amount: { value: string } };
type Order = { status: string; captures: Money[]; refunds: Money[] };
const orderAtWallet = async (id: string): Promise<Order> => {
  const { status = 'GONE', purchase_units } = (await shop.ask(`/v2/checkout/orders/${id}`)) as {
    status?: string;
    purchase_units?: { payments?: Partial<Pick<Order, 'captures' | 'refunds'>> }[];
  };
  return { status, captures: [], refunds: [], ...purchase_units?.[0]?.payments };
};
const minorOf = ({ amount }: Money): number => Math.round(Number(amount.value) * 100);

/**
 * Whether our last capture of the order has an unclear outcome, apart from captures that were told
 * that there is no such order.
 */
async function isCaptureUnclear(orderId: string): Promise<boolean> {
  const { requests } = (await world.control('GET', `/_control/requests?intent=${orderId}`)) as {
    requests: { path: string; status: number | null; fault: string | null }[];
  };
  const captures = requests.filter(({ path }) => path.endsWith('/capture'));
  const isLost = ({ status, fault }: (typeof requests)[number]) =>
    Number(status) >= 500 || /^(drop|timeout)/.test(fault ?? '');
  const last = captures.findLast((one) => one.status !== 404 || isLost(one));
  return last !== undefined && isLost(last);
}

const steps = [
  ...['approve', 'page', 'capture lost', 'capture dropped', 'capture 500', 'read lost', 'void'],
  ...['by hand: capture', 'time', 'run out', 'refund', 'refund lost', 'by hand: refund'],
  ...['reverse', 'refund fails', 'refund arrives', 'hear some', 'hear stale', 'look stale'],
] as const;
type Step = (typeof steps)[number];
const behaviours = ['completes', 'declined', 'pends', 'denied', 'refund_pends', 'refund_fails'];

it('any history of an order, and any multiset and order of its notices, ends in the truth', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...behaviours),
      fc.constantFrom<readonly Step[]>(
        [],
        ['approve'],
        ['approve', 'page'],
        ['approve', 'hear some'],
        ['approve', 'capture dropped', 'run out'],
      ),
      fc.array(fc.tuple(fc.constantFrom(...steps), fc.integer({ min: 1, max: 1990 })), {
        maxLength: 9,
      }),
      fc.infiniteStream(fc.nat()),
      async (behaviour, start, then, chance) => {
        const pick = (below: number) => Number(chance.next().value) % Math.max(below, 1);
        told.length = 0;
        const session = await aSession(world, { captureMethod: 'automatic' });
        const { paymentId } = await shop.pay(session);
        const orderId = await shop.orderOf({ paymentId });
        played.push({ paymentId, orderId });
        const at = { session, paymentId, orderId, behaviour, pick };
        // A step that is not allowed in the present state is skipped.
        const history = [...start.map((name) => [name, 1] as const), ...then];
        for (const [name, amount] of history)
          await performStep(name, { ...at, amount }).catch(() => undefined);
        await world.control('DELETE', '/_control/faults');
        await world.control('POST', '/_control/clock/advance', { seconds: 5 });
        await expect.poll(listUnderWay).toEqual([]);
        const bag = [...told, ...told.filter(() => pick(3) === 0)];
        for (let left = bag.length; left > 0; left--) {
          await deliverNotice(bag.splice(pick(left), 1)[0] as NoticeInput);
          if (pick(2) === 0) await readAllNotices(world);
        }
        for (let round = 0; round < 4; round++) await recoverOperations();
        await expectTruth(paymentId, orderId);
      },
    ),
    { numRuns: 20 },
  );
  // An order that nobody has approved is given up.
  await advance(world, 3700);
  for (let round = 0; round < 2; round++) await anHourLater(world);
  // After a capture with an unclear outcome, nothing can tell what became of an order that is gone.
  const undecided: string[] = [];
  for (const { paymentId, orderId } of played) {
    const isGone = (await orderAtWallet(orderId)).status === 'GONE';
    if (isGone && (await isCaptureUnclear(orderId))) undecided.push(`missing ${paymentId}`);
  }
  const { seen } = await reconcileAll(world.ports);
  expect(seen.map(({ kind, paymentId }) => `${kind} ${paymentId}`).sort()).toEqual(
    undecided.sort(),
  );
  const { results } = await runAudit({ url: world.url });
  const broken = results.filter(({ violations }) => violations > 0);
  // After a day such operations wait for a person.
  expect(broken.filter(({ rule }) => rule !== 'R1b')).toEqual([]);
  expect(broken[0]?.violations ?? 0).toBeLessThanOrEqual(undecided.length);
}, 240_000);

type HistoryStep = {
  session: Checkout;
  paymentId: string;
  orderId: string;
  behaviour: string;
  amount: number;
  pick: (below: number) => number;
};

async function performStep(name: Step, at: HistoryStep): Promise<void> {
  const { session, paymentId, orderId, amount, pick } = at;
  const money = (path: string, more: object = {}) =>
    world.control('POST', `/_control/wallet/${path}`, more);
  const { captures, refunds } = await orderAtWallet(orderId);
  const captureId = captures.at(-1)?.id;
  const refundId = refunds[pick(refunds.length)]?.id;
  const plantFault = (match: object, action: string, more: object = {}) =>
    world.fault(match, action, { count: 2, ...more });
  const capturing = { method: 'POST', path: '/v2/checkout/orders/*/capture' };
  const refunding = { method: 'POST', path: '/v2/payments/captures/*/refund' };
  const reading = { method: 'GET', path: '/v2/checkout/orders/*' };
  const lagReads = () => world.fault({ method: 'GET' }, 'stale_read', { count: 20 });
  const refund = () => aRefund(world, paymentId, amount / 100);
  try {
    if (name === 'approve') await shop.approve(orderId, at.behaviour);
    else if (name === 'page') await shop.pay(session);
    else if (name === 'capture lost') {
      await plantFault(capturing, 'drop_reply');
      await shop.pay(session);
    } else if (name === 'capture dropped') {
      await plantFault(capturing, 'drop_request');
      await shop.pay(session);
    } else if (name === 'capture 500') {
      await plantFault(capturing, 'error_500', { executes: true });
      await lagReads();
      await shop.pay(session);
    } else if (name === 'read lost') {
      await plantFault(capturing, 'drop_reply');
      await plantFault(reading, 'error_503_unrecorded');
      await shop.pay(session);
    } else if (name === 'by hand: capture') await money(`orders/${orderId}/capture`);
    else if (name === 'void') await money(`orders/${orderId}/void`);
    else if (name === 'time')
      await world.control('POST', '/_control/clock/advance', { seconds: 4 });
    else if (name === 'run out') await advance(world, 4 * 3600);
    else if (name === 'refund') await refund();
    else if (name === 'refund lost') {
      await plantFault(refunding, 'drop_reply');
      await plantFault(reading, 'error_503_unrecorded');
      await refund();
    } else if (name === 'by hand: refund') await money(`captures/${captureId}/refund`, { amount });
    else if (name === 'reverse') await money(`captures/${captureId}/reverse`, { amount });
    else if (name === 'refund fails') await money(`refunds/${refundId}/fail`);
    else if (name === 'refund arrives') await money(`refunds/${refundId}/succeed`);
    else {
      if (name !== 'hear some') await lagReads();
      for (const notice of [...told]) {
        if (name === 'hear stale' || (name === 'hear some' && pick(2) === 0))
          await deliverNotice(notice);
      }
      await (name === 'look stale' ? recoverOperations() : readAllNotices(world));
    }
  } finally {
    await world.control('DELETE', '/_control/faults');
  }
}

const refundsOf = sql<{ status: string; amount_minor: string; provider_refund_id: string | null }>(
  'test_wallet_histories_refunds',
  `select status, amount_minor, provider_refund_id from payments
   where parent_payment_id = $1 and type = 'refund'`,
);
// A refund or payment in doubt changes only to a final state.
const wanted: Readonly<Record<string, string>> = {
  COMPLETED: 'succeeded',
  FAILED: 'refund_failed',
  PENDING: 'processing',
};
/**
 * Returns the statuses that a payment may have, and the captured amount less what has been
 * returned.
 */
function allowedEndsOf(
  { status, captures: [capture] }: Order,
  { givenBack, isInDoubt }: { givenBack: number; isInDoubt: boolean },
): readonly string[] {
  if (capture?.status === 'PENDING') return ['processing', 'unknown'];
  if (capture?.status === 'DECLINED') return ['failed'];
  if (capture) {
    if (givenBack === 0) return ['succeeded'];
    return [givenBack === minorOf(capture) ? 'refunded' : 'partially_refunded'];
  }
  // Only a capture with an unclear outcome leaves open whether it belonged to this order.
  if (status === 'GONE') return [isInDoubt ? 'unknown' : 'failed'];
  // Nothing was captured: the payment waits for its buyer, or has ended. An approved order waits
  // for nobody.
  return status === 'PAYER_ACTION_REQUIRED' ? ['pending', 'unknown', 'failed'] : ['failed'];
}

async function expectTruth(paymentId: string, orderId: string): Promise<void> {
  const order = await orderAtWallet(orderId);
  const { status, captures, refunds } = order;
  // The wallet sends no notice about this change, so it is looked up every hour.
  if (status === 'VOIDED') await anHourLater(world);
  const payment = await paymentOf(paymentId);
  const rows = await world.database.read(refundsOf, [paymentId]);
  const named = rows.filter((row) => row.provider_refund_id !== null);
  const rowOf = (id: string) => named.find((row) => row.provider_refund_id === id);
  const theirs = refunds
    // A refund by hand that had failed before we knew of it leaves no row.
    .filter((one) => one.status !== 'FAILED' || rowOf(one.id))
    .map((one) => {
      const isDoubt = one.status === 'PENDING' && rowOf(one.id)?.status === 'unknown';
      return `${one.id} ${minorOf(one)} ${isDoubt ? 'unknown' : wanted[one.status]}`;
    });
  const ours = named.map((row) => `${row.provider_refund_id} ${row.amount_minor} ${row.status}`);
  expect(ours.sort()).toEqual(theirs.sort());
  const sum = (of: string) =>
    refunds.reduce((total, one) => total + (one.status === of ? minorOf(one) : 0), 0);
  expect(captures.length).toBeLessThanOrEqual(1);
  const isInDoubt = await isCaptureUnclear(orderId);
  const known = { givenBack: sum('COMPLETED'), isInDoubt };
  expect(allowedEndsOf(order, known)).toContain(payment?.status);
  expect(payment).toMatchObject({
    refundedMinor: sum('COMPLETED'),
    refundPendingMinor: sum('PENDING'),
  });
}
