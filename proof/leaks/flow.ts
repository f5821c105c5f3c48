// A real day of a merchant with values that exist nowhere else, and a record of everything that
// left a process: requests and responses of each connection, logs, deliveries.

import { setTimeout as pause } from 'node:timers/promises';
import { type Fixture, type Link, openFixture } from '../chaos/fixture.ts';
import { Shop } from '../chaos/shop.ts';
import type { Direction } from '../chaos/stopping-proxy.ts';
import { seeded } from '../kit/random.ts';
import { type Canary, newCard } from './canaries.ts';
import { saveCard } from './save-card.ts';
import type { Place } from './scan.ts';

/** The bytes of one direction of a link, for each connection separately. */
export class Recording {
  readonly #parts = new Map<string, Buffer[]>();

  readonly record = (link: Link, side: Direction, bytes: Buffer, connection: number): void => {
    const name = `${link} ${side} ${connection}`;
    this.#parts.set(name, [...(this.#parts.get(name) ?? []), bytes]);
  };

  /** One place for each direction of each link. */
  places(): Place[] {
    const byLink = new Map<string, Buffer[]>();
    for (const [name, parts] of this.#parts) {
      const link = name.replace(/ \d+$/, '');
      const whole = Buffer.concat([...parts, Buffer.alloc(8)]);
      byLink.set(link, [...(byLink.get(link) ?? []), whole]);
    }
    return [...byLink].map(([link, parts]) => ({ name: link, bytes: Buffer.concat(parts) }));
  }
}

export type Flow = {
  readonly fixture: Fixture;
  readonly recording: Recording;
  readonly canaries: readonly Canary[];
  readonly cvcs: readonly string[];
  /** The merchant's list of what was saved. */
  readonly shown: string;
  /** The responses to requests that hold a card number where none belongs. */
  readonly mistakes: readonly { readonly call: string; readonly status: number }[];
};

const payments = 3;

/**
 * Pays, captures, cancels, is declined and refused, saves a card, and waits for the webhooks. Close
 * the fixture afterwards.
 */
export async function runFlow(): Promise<Flow> {
  const recording = new Recording();
  const fixture = await openFixture({
    record: recording.record,
    gatesDatabase: true,
    env: { SVC_LOG_LEVEL: 'debug' },
  });
  try {
    const cards = Array.from({ length: payments + 1 }, newCard);
    const kept = newCard();
    const shop = new Shop(fixture, seeded(1));
    const canaries: Canary[] = [...secretsOf(fixture)];
    const paid: string[] = [];
    for (const [index, card] of cards.slice(0, payments).entries()) {
      canaries.push({ name: 'card number', value: card.number });
      const session = await shop.tokenised('manual', card);
      canaries.push(...sessionCanaries(session));
      const answer = await shop.once(shop.purchase(session));
      const paymentId = answer?.paymentId ?? '';
      paid.push(paymentId);
      shop.move(index === 0 ? 'cancel' : 'capture', paymentId);
    }
    canaries.push(...(await declineOne(fixture, shop, cards[payments])));
    const saved = await saveCard(fixture, shop, kept);
    canaries.push(...saved.canaries);
    const wrong = { inBody: newCard().number, inAddress: newCard().number };
    canaries.push({ name: 'card number in a body', value: wrong.inBody });
    canaries.push({ name: 'card number in an address', value: wrong.inAddress });
    const mistakes = await makeMistakes(fixture, { ...wrong, paymentId: paid[1] ?? '' });
    await shop.rest(10_000);
    await shop.close();
    await webhooksOf(fixture, paid);
    const cvcs = [...cards, kept].map(({ cvc }) => cvc);
    return { fixture, recording, canaries, cvcs, mistakes, shown: saved.shown };
  } catch (error) {
    await fixture.close();
    throw error;
  }
}

const secretsOf = ({ merchant, account, keys }: Fixture): Canary[] => [
  { name: 'API token', value: merchant.apiToken },
  { name: 'webhook secret', value: merchant.webhookSecret },
  { name: 'provider secret key', value: account.secretKey },
  { name: 'notice secret', value: merchant.notices.secret },
  { name: 'service key', value: keys.serviceKey },
  { name: 'vault key', value: keys.vaultKey },
  { name: 'shared key', value: keys.sharedKey },
  { name: 'sandbox key', value: keys.sandboxKey },
];

type TokenisedSession = Awaited<ReturnType<Shop['tokenised']>>;
const sessionCanaries = ({ token, nonce, mountToken }: TokenisedSession): Canary[] => [
  { name: 'card token', value: token },
  { name: 'session nonce', value: nonce },
  { name: 'mount token', value: mountToken },
];

async function declineOne(
  fixture: Fixture,
  shop: Shop,
  card: ReturnType<typeof newCard> | undefined,
): Promise<Canary[]> {
  if (!card) throw new Error('no card to decline');
  const session = await shop.tokenised('automatic', card);
  await fixture.control('POST', '/faults', {
    match: { path: '/v1/payment_intents' },
    action: 'decline',
    count: 5,
  });
  const answer = await shop.once(shop.purchase(session));
  await fixture.control('DELETE', '/faults');
  if (answer?.code !== 'card_declined') throw new Error(`not declined: ${answer?.body}`);
  return [{ name: 'card number', value: card.number }, ...sessionCanaries(session)];
}

/**
 * Sends requests of confused callers: they must be refused, and no response may repeat their
 * content.
 */
async function makeMistakes(
  fixture: Fixture,
  { inBody, inAddress, paymentId }: { inBody: string; inAddress: string; paymentId: string },
): Promise<Flow['mistakes']> {
  const { apiUrl, merchant } = fixture;
  const json = { 'content-type': 'application/json' };
  const token = merchant.apiToken;
  const basic = (left: string, right: string) => ({
    authorization: `Basic ${Buffer.from(`${left}:${right}`).toString('base64')}`,
  });
  const create = (body: object) => ({
    method: 'POST',
    // Sent by the merchant, the only caller who may set all of these fields: another caller's field
    // would be refused before the card number.
    headers: { ...json, ...basic(merchant.clientId, token) },
    body: JSON.stringify({
      clientId: merchant.clientId,
      currency: 'EUR',
      products: [{ code: merchant.productCode, quantity: 1 }],
      accountData: { userId: merchant.userId, email: 'ada@example.com' },
      ...body,
    }),
  });
  const mistakes: readonly (readonly [string, RequestInit])[] = [
    ['/v1/checkouts/sessions', create({ metadata: { note: inBody } })],
    ['/v1/checkouts/sessions', create({ number: inBody })],
    ['/v1/checkouts/sessions', { method: 'POST', headers: json, body: `{"card":"${inBody}"` }],
    [`/v1/payments/${inAddress}`, { headers: basic(merchant.clientId, token) }],
    [`/v1/payments?email=${inAddress}`, { headers: basic(merchant.clientId, token) }],
    [
      '/v1/payments',
      {
        headers: basic(
          merchant.clientId,
          token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
        ),
      },
    ],
    ['/v1/payments', { headers: basic(token, merchant.clientId) }],
    ['/v1/payments', { headers: { authorization: `Bearer ${token}` } }],
    [
      `/v1/payments/${paymentId}/capture`,
      {
        method: 'PUT',
        headers: { ...json, ...basic(merchant.clientId, token), 'idempotency-key': 'a mistake' },
        body: JSON.stringify({ card: inBody }),
      },
    ],
    [`/no/such/path/${inAddress}`, {}],
  ];
  const answered: { call: string; status: number }[] = [];
  for (const [path, init] of mistakes) {
    const { status } = await fetch(apiUrl + path, init);
    answered.push({ call: `${init.method ?? 'GET'} ${path}`, status });
  }
  return answered;
}

async function webhooksOf(fixture: Fixture, paymentIds: readonly string[]): Promise<void> {
  const deadline = performance.now() + 15_000;
  const endings = ['item.purchased', 'payment.authorization_voided'];
  const hasEvent = (id: string) =>
    fixture.received.some(({ type, paymentId }) => paymentId === id && endings.includes(type));
  while (!paymentIds.every(hasEvent)) {
    if (performance.now() > deadline) throw new Error('the webhooks did not arrive');
    await pause(50);
  }
}
