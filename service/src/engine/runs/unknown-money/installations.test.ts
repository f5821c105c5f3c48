// Several installations and merchants on one account at the provider: each looks at what is its own.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, runOn } from '../../../../test/command-line.ts';
import { aSetupSession, submitToken } from '../../../../test/customers/setups.ts';
import { aClub, advanceToRenewal, renewAll } from '../../../../test/customers/subscriptions.ts';
import { aCustomer, moveClock, newId } from '../../../../test/harness.ts';
import { aCopy, anotherInstallation, anotherMerchant } from '../../../../test/installations.ts';
import { dispute, eventsOf as disputeEvents } from '../../../../test/payments/disputes.ts';
import {
  deliverNotice,
  noticeState,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { aPurchase, aRefund } from '../../../../test/payments/planted.ts';
import {
  aCardToken,
  aHold,
  cards,
  moveHold,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { listInstallations } from '../../../storage/gateways/gateways.ts';
import { claimMails } from '../../../storage/mails/mails.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { findUnknown } from '../../../storage/payments/unknown-money.ts';
import { lookForTrouble } from '../alerts/tell-operator.ts';

let first: World;
let second: World;
let other: World;
const opened: World[] = [];
beforeAll(async () => {
  first = await startWorld();
  second = await anotherMerchant(first, 'The second shop');
  other = await anotherInstallation(first, 'The shop of another installation');
  opened.push(other);
});
afterAll(async () => {
  for (const world of opened.toReversed()) await world.close();
  await first?.close();
});

const copyOf = async (world: World): Promise<World> => {
  const copy = await aCopy(world);
  opened.push(copy);
  return copy;
};

const paymentOf = (world: World, id: string) => findPayment(world.database, world.client.id, id);
const intentOf = async (world: World, id: string) =>
  (await paymentOf(world, id))?.providerIntentId ?? '';
const aPaid = async (world: World): Promise<string> => intentOf(world, await aPurchase(world));
const reconcile = (world: World, ...flags: string[]): Promise<CommandRun> =>
  runOn(world.ports, ['reconcile', '--older-than', '0s', ...flags]);
const installation = (world: World, verb: string) => runOn(world.ports, ['installation', verb]);
const idOf = async (world: World) =>
  (await listInstallations(world.database, newId)).at(-1)?.id ?? '';
const listKinds = async (intent: string) => (await first.ledger(intent)).map(({ kind }) => kind);

async function askProvider(path: string, body?: Record<string, string>) {
  const answer = await fetch(`${first.sandbox.url}${path}`, {
    headers: { authorization: `Bearer ${first.account.secretKey}` },
    ...(body ? { method: 'POST', body: new URLSearchParams(body) } : {}),
  });
  return (await answer.json()) as { id: string; metadata: object; data: { metadata: object }[] };
}

const findDispute = sql<{ client_id: string; gateway_id: string }>(
  'test_installations_dispute',
  'select client_id, gateway_id from disputes where provider_dispute_id = $1',
);

describe('what is made at the provider', () => {
  it('names installation and merchant: intents, refunds, customers and set-ups', async () => {
    const marks = { installation_id: await idOf(second), merchant_id: second.client.id };
    expect(marks.installation_id).not.toBe(await idOf(other));
    const paymentId = await aPurchase(second);
    await aRefund(second, paymentId);
    const session = await aSetupSession(second, {
      userId: (await aCustomer(second.database, second.client)).id,
    });
    await submitToken(second, session, await aCardToken(second, session, cards.approved));
    const intent = await intentOf(second, paymentId);
    const made = await Promise.all([
      askProvider(`/v1/payment_intents/${intent}`),
      ...['refunds', 'customers', 'setup_intents'].map(
        async (kind) => (await askProvider(`/v1/${kind}?limit=1`)).data[0],
      ),
    ]);
    for (const one of made) expect(one?.metadata).toMatchObject(marks);
  });
});

describe('two merchants on one account', () => {
  it('a notice that only the one’s address gets settles the other’s payment', async () => {
    const { paymentId } = await aHold(second);
    const intent = await intentOf(second, paymentId);
    await askProvider(`/v1/payment_intents/${intent}/capture`, {});
    const told = (await providerEvents(first, intent)).findLast(
      ({ type }) => type === 'payment_intent.succeeded',
    );
    await deliverNotice(first, told ?? {});
    await readAllNotices(first);
    expect(await noticeState(first, told?.id ?? '')).toMatchObject({ outcome: 'handed_over' });
    await readAllNotices(first);
    expect(await paymentOf(second, paymentId)).toMatchObject({ status: 'succeeded' });
  });

  it('so does the notice of a dispute, which carries no marks', async () => {
    const intent = await aPaid(second);
    const disputeId = await dispute(first, intent, { amount: 500 });
    for (const told of await disputeEvents(first, disputeId)) await deliverNotice(first, told);
    await readAllNotices(first);
    await readAllNotices(first);
    expect(await second.database.read(findDispute, [disputeId])).toEqual([
      { client_id: second.client.id, gateway_id: second.gatewayId },
    ]);
  });

  it('money without a payment is the merchant’s whom the marks name, wherever it is heard of', async () => {
    const { id } = await askProvider('/v1/payment_intents', {
      amount: '700',
      currency: 'eur',
      confirm: 'true',
      payment_method: 'pm_card_visa',
      'allowed_payment_method_types[0]': 'card',
      'metadata[payment_id]': newId(),
      'metadata[operation_id]': newId(),
      'metadata[installation_id]': await idOf(second),
      'metadata[merchant_id]': second.client.id,
    });
    for (const told of await providerEvents(first, id)) await deliverNotice(first, told);
    await readAllNotices(first);
    await readAllNotices(first);
    expect(await findUnknown(first.database, id)).toMatchObject({
      clientId: second.client.id,
      gatewayId: second.gatewayId,
    });
    const wish = ['--refund', id, '--reason', 'a test'];
    expect(await reconcile(first, ...wish)).toMatchObject({ code: 0 });
  });
});

describe('two installations and two merchants on one account, a restored copy among them', () => {
  it('svc reconcile of each names nothing foreign, and the copy leaves alone what the other made', async () => {
    const shared = await aHold(first);
    const refunded = await aPurchase(second);
    const copy = await copyOf(first);
    // The copy has a new id before it makes anything, and says that somebody has to decide.
    const asked = await reconcile(copy, '--all');
    expect(asked.code).toBe(1);
    expect(asked.out).toContain('svc installation new if the other one goes on');
    expect(asked.out).not.toContain('unknown:');
    expect(await idOf(copy)).not.toBe(await idOf(first));

    const later = [await aPaid(first), await aPaid(second), await aPaid(other)];
    const held = await intentOf(first, (await aHold(first)).paymentId);
    await moveHold(first, 'capturePayment', { paymentId: shared.paymentId, key: newId() });
    await aRefund(second, refunded, 4);
    const ofCopy = await aPaid(copy);
    // While nobody has decided, nothing that the other made is offered either.
    expect((await reconcile(copy, '--all')).out).not.toContain('unknown:');
    expect(await installation(copy, 'new')).toMatchObject({ code: 0, err: '' });

    for (const world of [first, other, copy]) {
      expect((await reconcile(world, '--all', '--settle')).out).not.toContain('unknown');
      const again = await reconcile(world, '--all');
      expect([again.out.includes('0 differences'), again.code]).toEqual([true, 0]);
    }
    // The history that both share is the copy's own: it is read.
    expect(await paymentOf(copy, shared.paymentId)).toMatchObject({ status: 'succeeded' });
    expect(await findPayment(copy.database, second.client.id, refunded)).toMatchObject({
      status: 'partially_refunded',
    });

    for (const [world, intents] of [
      [copy, [later[1] ?? '', held]],
      [first, [ofCopy]],
      [other, [held]],
    ] as const) {
      for (const intent of intents) {
        const before = await listKinds(intent);
        for (const decision of ['--adopt', '--refund']) {
          const refused = await reconcile(world, decision, intent, '--reason', 'a test');
          expect([refused.code, refused.err]).toEqual([
            1,
            expect.stringContaining('made_elsewhere'),
          ]);
        }
        expect(await listKinds(intent)).toEqual(before);
        expect(await findUnknown(world.database, intent)).toBeUndefined();
      }
    }
  });

  it('a notice about what another installation made is put away at once, and nothing is asked', async () => {
    const intent = await aPaid(other);
    const [told] = await providerEvents(first, intent);
    await deliverNotice(first, told ?? {});
    await first.fault({ method: 'GET', path: '/v1/payment_intents/*' }, 'error_500', { count: 1 });
    await readAllNotices(first);
    await first.control('DELETE', '/_control/faults');
    expect(await noticeState(first, told?.id ?? '')).toMatchObject({ outcome: 'made_elsewhere' });
  });
});

describe('a restored database that takes the place of the former one', () => {
  it('offers what that one made since, once svc installation keep has said so', async () => {
    const copy = await copyOf(first);
    const lost = await aPaid(first);
    expect((await reconcile(copy)).out).not.toContain(lost);
    const operatorEmail = 'operator@example.test';
    const ports = { ...copy.ports, settings: { ...copy.ports.settings, operatorEmail } };
    await Promise.all([lookForTrouble(ports, Date.now()), lookForTrouble(ports, Date.now())]);
    const [mail, ...more] = await claimMails(copy.database, 10);
    expect([mail?.kind, mail?.recipient, more]).toEqual(['operator_alert', operatorEmail, []]);
    const place = { table: 'mails', rowId: mail?.id ?? '', field: 'body' };
    expect(ports.sealedHere.open(place, mail?.bodySealed ?? Buffer.alloc(0))).toContain(
      'svc installation keep',
    );
    expect(await installation(copy, 'keep')).toMatchObject({ code: 0 });
    expect((await reconcile(copy)).out).toContain(`--adopt ${lost}`);
    const adopted = await reconcile(copy, '--adopt', lost, '--reason', 'put back');
    expect(adopted).toMatchObject({ code: 0, err: '' });
    expect(await installation(copy, 'keep')).toMatchObject({
      code: 1,
      err: 'svc installation: nothing to decide: this database was not copied\n',
    });
  });
});

describe('a subscription that began before the copy', () => {
  it('is renewed by the one that goes on: by the copy only where it takes the other’s place', async () => {
    const { id } = await aClub(first);
    const [beside, instead] = [await copyOf(first), await copyOf(first)];
    await advanceToRenewal(beside, id);
    await moveClock(instead.database, 32 * 24 * 3_600_000);
    await Promise.all([beside, instead].map((copy) => installation(copy, 'list')));
    expect([await renewAll(beside), await renewAll(instead)]).toEqual([0, 0]);
    await installation(beside, 'new');
    await installation(instead, 'keep');
    expect([await renewAll(beside), await renewAll(instead)]).toEqual([0, 1]);
  });
});
