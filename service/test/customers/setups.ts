// Sessions that save a card, as merchant, buyer's page and provider create and change them.

import { expect } from 'vitest';
import { refuse } from '../../src/engine/implement.ts';
import type { Caller, Ports } from '../../src/engine/ports.ts';
import { settleSetups } from '../../src/engine/runs/card-setups/settle-setups.ts';
import { operations } from '../../src/operations/index.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { aCustomer, callerOf, sessionCaller } from '../harness.ts';
import { bodyOf, eventsOf, readState } from '../payments/checkouts.ts';
import { aCardToken, type Checkout, cards, type World } from '../world.ts';

export type SetupBody = {
  type: string;
  sessionId: string;
  paymentMethodId: string | null;
  redirectUrl?: string | null;
  challenge?: { kind: string; url: string; clientSecret: string; returnUrl: string };
};

/** Opens a setup session of a customer, a new one by default. */
export async function aSetupSession(
  world: World,
  given: { userId?: string; successUrl?: string } = {},
): Promise<Checkout> {
  const userId = given.userId ?? (await aCustomer(world.database, world.client)).id;
  const body = { userId, ...(given.successUrl ? { successUrl: given.successUrl } : {}) };
  const created = await bodyOf<{ id: string; nonce: string; vault: { mountToken: string } }>(
    operations.createSetupSession({ body }, callerOf(world.token), world.ports, refuse),
  );
  const { id, nonce, vault } = created;
  return { sessionId: id, nonce, userId, mountToken: vault.mountToken };
}

type CallOptions = { ports?: Ports; nonce?: string; chv?: string; gone?: AbortSignal };

const callerFor = (session: Checkout, { nonce, gone }: CallOptions): Caller => ({
  ...sessionCaller(nonce ?? session.nonce),
  ...(gone ? { gone } : {}),
});

/** Submits a card token. */
export const submitToken = (
  world: World,
  session: Checkout,
  token: string,
  more: CallOptions = {},
) =>
  bodyOf<SetupBody>(
    operations.submitCardSetup(
      {
        sessionId: session.sessionId,
        body: { token, ...(more.chv === undefined ? {} : { chv: more.chv }) },
      },
      callerFor(session, more),
      more.ports ?? world.ports,
      refuse,
    ),
  );

/** Types a card into the card form and submits its token. */
export async function submitCard(
  world: World,
  session: Checkout,
  number: string = cards.approved,
  more: CallOptions = {},
): Promise<SetupBody> {
  return submitToken(world, session, await aCardToken(world, session, number), more);
}

/**
 * Opens a setup session whose buyer is in a challenge; `again` repeats the call, as after the
 * return.
 */
export async function aChallengedSetup(world: World, number: string = cards.needs3ds) {
  const session = await aSetupSession(world);
  const token = await aCardToken(world, session, number);
  const { type, challenge } = await submitToken(world, session, token);
  if (type !== '3ds_required' || !challenge) throw new Error(`no challenge, but ${type}`);
  const submitAgain = () => submitToken(world, session, token, { chv: 'result-of-the-challenge' });
  return { session, token, again: submitAgain, url: challenge.url };
}

export type SetupIntent = {
  setupIntentId: string;
  clientSecret: string;
  provider: string;
  publishableKey: string;
  status: string;
};

type IntentBody = Parameters<typeof operations.createSetupIntent>[0]['body'];

const findEmail = sql<{ email: string | null }>(
  'test_setup_email',
  'select email from checkout_sessions where id = $1',
);

export async function openSetupIntent(
  world: World,
  session: Checkout,
  given: Partial<IntentBody> = {},
  more: CallOptions = {},
): Promise<SetupIntent> {
  const [row] = await world.database.read(findEmail, [session.sessionId]);
  const { data } = await bodyOf<{ data: SetupIntent }>(
    operations.createSetupIntent(
      {
        body: {
          sessionId: session.sessionId,
          email: row?.email ?? 'nobody@example.test',
          paymentMethodType: 'card',
          ...given,
        },
      },
      callerFor(session, more),
      more.ports ?? world.ports,
      refuse,
    ),
  );
  return data;
}

/** Confirms the intent as the provider's code in the page does. */
export async function confirmSetupInPage(
  world: World,
  intent: SetupIntent,
  number: string = cards.approved,
): Promise<{ status?: string; code?: string; url?: string }> {
  const send = async (path: string, fields: Record<string, string>) => {
    const answer = await fetch(`${world.sandbox.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${intent.publishableKey}` },
      body: new URLSearchParams(fields),
    });
    return (await answer.json()) as {
      id?: string;
      status?: string;
      error?: { code: string };
      next_action?: { redirect_to_url?: { url: string } } | null;
    };
  };
  const method = await send('payment_methods', {
    type: 'card',
    'card[number]': number,
    'card[exp_month]': '12',
    'card[exp_year]': '2034',
    'card[cvc]': '123',
  });
  const said = await send(`setup_intents/${intent.setupIntentId}/confirm`, {
    payment_method: method.id ?? '',
    client_secret: intent.clientSecret,
    return_url: 'http://localhost:4000/back',
  });
  const url = said.next_action?.redirect_to_url?.url;
  return {
    ...(said.status ? { status: said.status } : {}),
    ...(said.error ? { code: said.error.code } : {}),
    ...(url ? { url } : {}),
  };
}

const makeDue = sql(
  'test_setups_due',
  `update card_setups set lease_until = null, next_check_at = svc_clock()
   where state in ('active', 'in_doubt', 'awaiting_customer')`,
);

/** Ends the leases of unfinished set-ups and makes them due. */
export const makeSetupsDue = (world: World) => world.database.write(makeDue, []);

/** Runs the recovery worker once over everything that is open. */
export async function recoverSetups(world: World, ports: Ports = world.ports): Promise<void> {
  await makeSetupsDue(world);
  await settleSetups(ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
}

const age = sql(
  'test_setups_age',
  `update card_setups set first_sent_at = first_sent_at - $2 * interval '1 minute'
   where session_id = $1 and state in ('active', 'in_doubt', 'awaiting_customer')`,
);

/** Makes the session's unfinished set-up older. */
export async function ageSetups(world: World, session: Checkout, minutes: number): Promise<void> {
  await world.database.write(age, [session.sessionId, minutes]);
}

export type StoredMethod = {
  id: string;
  status: string;
  type: string;
  brand: string | null;
  last_four: string | null;
  provider_payment_method_id: string | null;
  provider_customer_id: string | null;
};

const methods = sql<StoredMethod>(
  'test_setup_methods',
  `select id, status, type, brand, last_four, provider_payment_method_id, provider_customer_id
   from payment_methods where user_id = $1 order by created_at, id`,
);

/** Returns the customer's methods, as stored. */
export const methodsOf = (world: World, { userId }: { userId: string }): Promise<StoredMethod[]> =>
  world.database.read(methods, [userId]);

export type StoredSetup = {
  id: string;
  state: string;
  provider_setup_id: string | null;
  failure_code: string | null;
  decline_code: string | null;
};

const setups = sql<StoredSetup>(
  'test_setups',
  `select id, state, provider_setup_id, failure_code, decline_code
   from card_setups where session_id = $1 order by created_at, id`,
);

export const setupsOf = (world: World, session: Checkout): Promise<StoredSetup[]> =>
  world.database.read(setups, [session.sessionId]);

const defaultOf = sql<{ id: string | null }>(
  'test_setup_default',
  'select default_payment_method_id as id from customers where id = $1',
);

export async function defaultMethodOf(world: World, userId: string): Promise<string | null> {
  const [row] = await world.database.read(defaultOf, [userId]);
  return row?.id ?? null;
}

/** Expects one active method with one event, and a session that names the method. */
export async function expectSaved(world: World, session: Checkout): Promise<void> {
  const [method, ...more] = await methodsOf(world, session);
  expect(more).toEqual([]);
  expect(method?.status).toBe('active');
  expect(await eventsOf(world, method?.id ?? '')).toEqual(['payment_method.activated']);
  expect(await eventsOf(world, session.sessionId)).toEqual(['checkout.session.completed']);
  expect(await readState(world, session)).toMatchObject({
    status: 'completed',
    paymentMethodId: method?.id,
  });
}
