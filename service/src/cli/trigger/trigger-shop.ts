// A merchant with its buyers at a sandbox, for triggers: it uses the public API, the hosted card
// form, and the card provider's controls, and writes nothing directly.

import { randomUUID } from 'node:crypto';
import type { WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { CommandError } from '../line/command.ts';
import { type Answer, type Api, callPlainly, type Path } from '../merchant/api.ts';
import type { Project } from '../merchant/project.ts';
import { type CardSession, cardToken } from './card-token.ts';
import type { Bodies } from './trigger-overrides.ts';

export type Buyer = {
  readonly userId: string;
  /** The merchant's own id of the buyer, when that is not a UUID. */
  readonly externalId?: string | null;
  readonly email: string;
};
type Session = {
  readonly id: string;
  readonly nonce: string;
  readonly accountData: Buyer | null;
  readonly expiresAt: string;
} & CardSession;
export type Payment = {
  readonly id: string;
  readonly status: string;
  readonly gatewayChargeId: string | null;
  readonly authorizationExpiresAt: string | null;
};

export const cards = {
  approved: '4242424242424242',
  mastercard: '5555555555554444',
  declined: '4000000000000002',
  /** A card that is saved without an error and declined at every charge. */
  declinedOnceSaved: '4000000000000341',
} as const;

export type Shop = ReturnType<typeof openShop>;

type TriggerContext = {
  readonly project: Project;
  readonly bodies: Bodies;
  /** Prints what a person should know before it happens. */
  readonly note: (text: string) => void;
};

export function openShop({ project, bodies, note }: TriggerContext) {
  const { api, sandboxUrl } = project;
  if (sandboxUrl === null) {
    throw new CommandError('the sandbox is nowhere to be found: name it by --sandbox URL');
  }
  const control = <T = Answer>(path: Path, body?: object): Promise<T> =>
    callPlainly<T>(sandboxUrl, path.replace(' /', ' /_control/') as Path, { body: body ?? {} });
  const clock = async () => {
    const { now } = await callPlainly<{ now: string }>(sandboxUrl, 'GET /_control/clock');
    return new Date(now);
  };
  return {
    api,
    bodies,
    control,
    ...withBuyers({ project, bodies }),
    ...withMoves({ project, bodies }),
    /** Moves the time of sandbox and service, for everything in them. */
    async passTo(instant: Date): Promise<void> {
      const seconds = Math.ceil((instant.getTime() - (await clock()).getTime()) / 1000);
      if (seconds <= 0) return;
      note(`moves the sandbox's clock ${lengthOf(seconds)} ahead, for everything in it:`);
      note('sessions, holds, tokens and subscriptions run out or fall due as in that time');
      for (const url of await listEndpointsGivenUpBy(instant, api)) {
        note(`${url} is failing: unless it answers by then it is disabled`);
      }
      await control('POST /clock/advance', { seconds });
    },
    clock,
    /** Returns the provider's ids of a card payment. */
    async atProvider({ gatewayChargeId }: Payment) {
      type Entry = { kind: string; object: string; intent: string; charge: string };
      const { entries } = await callPlainly<{ entries: Entry[] }>(
        sandboxUrl,
        'GET /_control/ledger',
      );
      const own = entries.filter(({ charge }) => charge === gatewayChargeId);
      const intent = own[0]?.intent;
      if (gatewayChargeId === null || !intent) {
        throw new CommandError(
          'the sandbox knows no card payment behind it; was it paid with a wallet?',
        );
      }
      const refund = own.findLast(({ kind }) => kind === 'refund')?.object;
      return { charge: gatewayChargeId, intent, refund };
    },
  };
}

const givenUpAfterMs = 120 * 3_600_000;

/**
 * Returns the endpoints whose failures will have lasted so long by then that the next one disables
 * them. Contract §7.
 */
async function listEndpointsGivenUpBy(instant: Date, api: Api): Promise<string[]> {
  type ListedEndpoints = { readonly data: readonly WebhookEndpoint[] };
  // A token may lack webhooks:read: then the endpoints are not known.
  const { data } = await api<ListedEndpoints>('GET /v1/webhook-endpoints?isEnabled[eq]=true').catch(
    (): ListedEndpoints => ({ data: [] }),
  );
  return data
    .filter(({ failingSince: since }) => {
      return since !== null && Date.parse(since) + givenUpAfterMs <= instant.getTime();
    })
    .map(({ url }) => url);
}

function lengthOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 86_400) return `${(seconds / 3600).toFixed(1)} hours`;
  return `${(seconds / 86_400).toFixed(1)} days`;
}

function withBuyers({ project, bodies }: Omit<TriggerContext, 'note'>) {
  const { api, clientId } = project;
  const shop = {
    productOf: (kind: 'item' | 'subscription') => findProduct(api, kind),
    async customer(): Promise<Buyer> {
      const body = bodies.of('customer', { email: `trigger-${randomUUID()}@example.com` });
      type CreatedCustomer = Omit<Buyer, 'userId'> & { readonly id: string };
      const { id, externalId, email } = await api<CreatedCustomer>('POST /v1/customers', { body });
      return { userId: id, externalId: externalId ?? null, email };
    },
    async open(more: { captureMethod: 'automatic' | 'manual'; code?: string; buyer?: Buyer }) {
      const { captureMethod, buyer } = more;
      const code = more.code ?? (await shop.productOf('item'));
      const body = bodies.of('session', {
        clientId,
        currency: 'EUR',
        captureMethod,
        products: [{ code, quantity: 1 }],
        accountData: buyer ?? { userId: randomUUID(), email: 'trigger@example.com' },
      });
      return api<Session>('POST /v1/checkouts/sessions', { body });
    },
    /** Pays with a card of this number, or with a saved one. */
    async pay(session: Session, by: { number: string } | { saved: string }): Promise<Payment> {
      const means =
        'saved' in by
          ? { paymentMethodId: by.saved }
          : { token: await cardToken(session, by.number, { project, bodies }) };
      const { accountData } = session;
      const answer = await callPlainly<{ paymentId: string; type: string }>(
        project.apiUrl,
        `POST /v1/checkouts/sessions/${session.id}/process`,
        {
          headers: {
            'x-checkout-session-token': session.nonce,
            'x-user-id': encodeURIComponent(accountData?.externalId ?? accountData?.userId ?? ''),
          },
          body: {
            sessionId: session.id,
            tokenizedData: { provider: 'cardprovider', type: 'card', ...means },
            accountData,
          },
        },
      );
      if (answer.type !== 'success') {
        throw new CommandError(`payment ${answer.paymentId} is not through: ${answer.type}`);
      }
      return shop.payment(answer.paymentId);
    },
    payment: (id: string) => api<Payment>(`GET /v1/payments/${id}`),
    async hold(): Promise<Payment> {
      return shop.pay(await shop.open({ captureMethod: 'manual' }), { number: cards.approved });
    },
    async purchase(): Promise<Payment> {
      return shop.pay(await shop.open({ captureMethod: 'automatic' }), { number: cards.approved });
    },
  };
  return shop;
}

function withMoves({ project, bodies }: Omit<TriggerContext, 'note'>) {
  const { api } = project;
  return {
    /** Asks for a capture, cancel or refund as the merchant's server does. */
    move(move: 'capture' | 'cancel' | 'refunds', { id }: { readonly id: string }): Promise<Answer> {
      const path = `/v1/payments/${id}/${move}` as const;
      const body = move === 'refunds' ? bodies.of('refund', {}) : {};
      const headers = { 'idempotency-key': randomUUID() };
      return api(move === 'refunds' ? `POST ${path}` : `PUT ${path}`, { body, headers });
    },
    /** Saves a card without a charge; returns the payment method's id. */
    async saveCard({ userId }: Buyer, number: string = cards.approved): Promise<string> {
      const body = bodies.of('setup', { userId });
      const session = await api<Session>('POST /v1/checkouts/sessions/setup', { body });
      const { paymentMethodId } = await callPlainly<{ paymentMethodId: string | null }>(
        project.apiUrl,
        `POST /v1/checkouts/sessions/${session.id}/card-setup`,
        {
          headers: { 'x-checkout-session-token': session.nonce },
          body: { token: await cardToken(session, number, { project, bodies }) },
        },
      );
      if (paymentMethodId === null) throw new CommandError('the card was not saved at once');
      return paymentMethodId;
    },
  };
}

const ownProducts = {
  item: { code: 'trigger-item', name: 'Item of svc trigger', kind: 'item' },
  subscription: {
    code: 'trigger-subscription',
    name: 'Subscription of svc trigger',
    kind: 'subscription',
    interval: 'month',
  },
} as const;

/** Returns a product of the merchant that costs enough to be charged; creates one when there is none. */
async function findProduct(api: Api, kind: keyof typeof ownProducts): Promise<string> {
  type Product = { code: string; prices: { currency: string; amount: number }[] };
  const query = `kind[eq]=${kind}&active[eq]=true&limit=100`;
  const { data } = await api<{ data: Product[] }>(`GET /v1/products?${query}`);
  const found = data.find(({ prices }) =>
    prices.some(({ currency, amount }) => currency === 'EUR' && amount >= 1),
  );
  if (found) return found.code;
  const body = { ...ownProducts[kind], prices: [{ currency: 'EUR', amount: 9.9 }] };
  return (await api<Product>('POST /v1/products', { body })).code;
}
