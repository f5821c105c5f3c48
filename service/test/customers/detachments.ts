// The state after a detachment, at the provider, in the vault and here; and what depends on a card.

import { createHash, randomBytes } from 'node:crypto';
import type { Event } from '@svc/contract/events/events';
import pg from 'pg';
import type { Detachment } from '../../src/domain/payments/detachment.ts';
import type { PaymentMethod } from '../../src/domain/payments/payment-method.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { findDetachment } from '../../src/storage/payment-methods/detachments.ts';
import { callAs, newId, type TestToken } from '../harness.ts';
import { plantInDatabase } from '../payments/planted.ts';
import type { TestServer } from '../server.ts';
import type { World } from '../world.ts';

type Row = Record<string, unknown>;

const rowById = sql<Row>('test_detachments_row', 'select * from payment_methods where id = $1');
const rowOfSession = sql<Row>(
  'test_detachments_row_of_session',
  'select * from payment_methods where session_id = $1',
);

export async function methodRow(world: World, which: string | { session: string }): Promise<Row> {
  const isId = typeof which === 'string';
  const query = isId ? rowById : rowOfSession;
  const [row] = await world.database.read(query, [isId ? which : which.session]);
  if (!row) throw new Error('no such method');
  return row;
}

const eventsOf = sql<{ payload: string }>(
  'test_detachments_events',
  'select payload from events where resource_id = $1 order by sequence',
);

/** Returns the events about the method, as they were sent. */
export const methodEvents = async (world: World, id: string): Promise<Event[]> =>
  (await world.database.read(eventsOf, [id])).map(({ payload }) => JSON.parse(payload) as Event);

export const detachmentOf = (world: World, id: string): Promise<Detachment | undefined> =>
  findDetachment(world.database, { clientId: world.client.id, id });

/** Returns the ids in the list of a customer's methods. */
export async function listedIds(
  server: TestServer,
  token: TestToken,
  userId: string,
): Promise<string[]> {
  const path = `/v1/payment-methods?userUuid=${userId}`;
  const { data } = (await callAs(server.app, token, `GET ${path}`)).json();
  return (data as { id: string }[]).map(({ id }) => id);
}

async function callProviderAt(world: World, method: string, path: string, fields?: object) {
  const response = await fetch(`${world.sandbox.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${world.account.secretKey}` },
    ...(fields ? { body: new URLSearchParams(fields as Record<string, string>) } : {}),
  });
  return (await response.json()) as Row & { error?: object };
}

/** Makes a change at the provider without the service. */
export const changeAtProvider = (world: World, path: string) => callProviderAt(world, 'POST', path);

export const customerAtProvider = (
  world: World,
  { providerCustomerId }: PaymentMethod,
  method: 'GET' | 'DELETE',
) => callProviderAt(world, method, `/v1/customers/${providerCustomerId}`);

/** Whether the provider could still charge the card for the customer. */
export async function isKeptAtProvider(
  world: World,
  { providerPaymentMethodId, providerCustomerId }: PaymentMethod,
): Promise<boolean> {
  const path = `/v1/payment_methods/${providerPaymentMethodId}`;
  const { customer } = await callProviderAt(world, 'GET', path);
  return customer !== null && customer === providerCustomerId;
}

export const makeProviderDefault = (
  world: World,
  { providerCustomerId, providerPaymentMethodId }: PaymentMethod,
) =>
  callProviderAt(world, 'POST', `/v1/customers/${providerCustomerId}`, {
    'invoice_settings[default_payment_method]': providerPaymentMethodId,
  });

const ours = sql<{ ours: string | null; customer: string | null }>(
  'test_detachments_defaults',
  `select c.default_payment_method_id as ours, p.provider_customer_id as customer
   from customers c left join provider_customers p on p.client_id = c.client_id and p.user_id = c.id
   where c.id = $1`,
);

/** Returns the customer's default method, here and at the provider. */
export async function defaultsOf(world: World, userId: string) {
  const [row] = await world.database.read(ours, [userId]);
  if (!row) throw new Error('no such customer');
  const said = await callProviderAt(world, 'GET', `/v1/customers/${row.customer}`);
  const { default_payment_method: providers } = said.invoice_settings as Row;
  return { ours: row.ours, providers };
}

const fundingOf = sql<{ payment_method_id: string }>(
  'test_detachments_funding',
  'select payment_method_id from subscriptions where id = $1',
);

/** Inserts a subscription that the card pays for, in any status. */
export async function insertFundedSubscription(
  world: World,
  card: PaymentMethod,
  status = 'active',
) {
  const id = newId();
  await plantInDatabase(world.ownerUrl, (run) =>
    run(
      `insert into subscriptions (id, client_id, user_id, session_id, product_code, product_name,
         quantity, amount_minor, currency, interval_unit, provider, gateway_id, is_live, created_at,
         anchored_at, payment_method_id, status, current_period_end, next_renewal_at,
         canceled_at, cancel_reason, updated_at)
       values ($1, $2, $3, $4, 'club', 'Club', 1, 2400, 'EUR', 'month', $5, $6, false, svc_clock(),
         svc_clock(), $7, $8, svc_clock() + interval '1 month',
         case when $8 in ('active', 'past_due') then svc_clock() + interval '1 month' end,
         case when $8 = 'canceled' then svc_clock() end,
         case when $8 = 'canceled' then 'merchant_requested' end, svc_clock())`,
      [id, card.clientId, card.userId, newId(), card.provider, card.gatewayId, card.id, status],
    ),
  );
  return {
    id,
    fundedBy: async () => (await world.database.read(fundingOf, [id]))[0]?.payment_method_id,
  };
}

/** What happens to a call. `hollow`: it was confirmed, but nothing was done. */
export type CallTrouble = 'refused' | 'not_done' | 'lost_before' | 'lost_after' | 'hollow';

type PortCall = (...given: never[]) => Promise<{ kind: string }>;

/** Records the calls of the ports that a detachment uses, and adds the planned faults. */
export function tapPorts(ports: Ports) {
  const calls: string[] = [];
  const troubles = new Map<string, CallTrouble[]>();
  const meanwhile = new Map<string, () => Promise<void>>();
  const trace = { httpStatus: null, providerCode: null, requestId: null };
  const tapCall = <F extends PortCall>(name: string, call: F): F =>
    (async (...given: Parameters<F>) => {
      calls.push(name);
      const work = meanwhile.get(name);
      meanwhile.delete(name);
      await work?.();
      const trouble = troubles.get(name)?.shift();
      if (trouble === 'refused') return { kind: 'refused', code: 'provider_error', trace };
      if (trouble === 'not_done') return { kind: 'not_done', cause: 'turned_away', trace };
      if (trouble === 'hollow') return { kind: 'confirmed', trace };
      const answer = trouble === 'lost_before' ? undefined : await call(...given);
      return trouble || !answer ? { kind: 'in_doubt', cause: 'no_answer', trace } : answer;
    }) as F;
  const tapped: Ports = {
    ...ports,
    methodKeeper: (gateway) => {
      const keeper = ports.methodKeeper(gateway);
      return {
        ...keeper,
        retrieveCustomer: tapCall('retrieveCustomer', keeper.retrieveCustomer),
        retrieveMethod: tapCall('retrieveMethod', keeper.retrieveMethod),
        setDefaultMethod: tapCall('setDefaultMethod', keeper.setDefaultMethod),
        detachMethod: tapCall('detachMethod', keeper.detachMethod),
      };
    },
    vault: { ...ports.vault, forget: tapCall('forget', ports.vault.forget) },
  };
  return {
    ports: tapped,
    /** Plans faults for the next calls of that name, one after the other. */
    trouble: (name: string, ...next: CallTrouble[]) => void troubles.set(name, next),
    /** Runs `work` before the next call of that name. */
    before: (name: string, work: () => Promise<void>) => void meanwhile.set(name, work),
    /** Returns the calls that `work` caused. */
    async during<T>(work: () => Promise<T>): Promise<{ result: T; calls: string[] }> {
      const from = calls.length;
      const result = await work();
      return { result, calls: calls.slice(from) };
    },
  };
}

/** Creates a token of the vault for the card. */
export const vaultTokenFor = (world: World, card: PaymentMethod) =>
  plantInDatabase(world.ownerUrl, (run) =>
    run(
      `insert into vault.card_tokens (token_sha256, session_id, client_id,
         provider_payment_method_id, brand, last_four, expiry_month, expiry_year, fingerprint,
         expires_at)
       values ($1, $2, $3, $4, 'visa', '4242', 12, 2034, $5, now() + interval '10 minutes')`,
      [
        createHash('sha256').update(newId()).digest(),
        card.sessionId,
        card.clientId,
        card.providerPaymentMethodId,
        randomBytes(32),
      ],
    ),
  );

/** Returns how many tokens of the vault belong to the card. */
export async function tokensOf(world: World, card: PaymentMethod): Promise<number> {
  const pool = new pg.Client({ connectionString: world.vaultUrl });
  await pool.connect();
  try {
    const { rowCount } = await pool.query(
      'select from vault.card_tokens where provider_payment_method_id = $1',
      [card.providerPaymentMethodId],
    );
    return rowCount ?? 0;
  } finally {
    await pool.end();
  }
}

const letGo = sql(
  'test_detachments_let_go',
  // The worker's clock has milliseconds only.
  `update payment_method_detachments
   set lease_until = null, next_try_at = date_trunc('milliseconds', svc_clock())
   where state = 'running'`,
);

/** Ends the leases of detachments and makes them due, as after the death of their holders. */
export const endDetachmentLeases = (world: Pick<World, 'database'>) =>
  world.database.write(letGo, []);
