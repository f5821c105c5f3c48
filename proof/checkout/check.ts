// Checks one interleaving after everything is settled: compares provider, database and responses.
// Reliability §2.2: M6, M11, M12; §2.3: I9.

import { createHash } from 'node:crypto';
import { expireSessions } from '../../service/src/engine/runs/checkout-sessions/expire-sessions.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { rethrow } from '../kit/operations.ts';
import { type ActorAnswer, type Checkout, intentsOf } from './actors.ts';
import { ordersOf } from './wallet-actors.ts';

const hurry = sql(
  'proof_hurry',
  `update payment_operations set lease_until = null, next_check_at = svc_clock(),
     first_sent_at = first_sent_at - case when state = 'awaiting_customer'
       then interval '61 minutes' else interval '0' end
   where finished_at is null and payment_id in (select id from payments where session_id = $1)
   returning id`,
);

/** Runs the workers without faults until no work is open; challenges time out. */
export async function finishOpenWork(checkout: Checkout): Promise<void> {
  const { world, session } = checkout;
  for (let pass = 0; pass < 8; pass++) {
    const open = await world.database.write(hurry, [session.id]);
    if (open.length === 0) break;
    await settleInDoubt(world.ports, { limit: 20, onError: rethrow });
  }
  await expireSessions(world.ports, { limit: 20, onError: rethrow });
}

type SessionRow = {
  status: string;
  is_claimed: boolean;
  payment_id: string | null;
  attempt_result: string | null;
  quantity: number | null;
  total_minor: string | null;
};
const findSession = sql<SessionRow>(
  'proof_session',
  `select status, claim_sha256 is not null as is_claimed, payment_id, attempt_result,
     (lines->0->>'quantity')::int as quantity, total_minor
   from checkout_sessions where id = $1`,
);
type PaymentRow = {
  id: string;
  status: string;
  provider_intent_id: string | null;
  amount_minor: string;
  /**
   * The digest of the card token that began the attempt, in hexadecimal; null when the page
   * confirms the intent itself.
   */
  token_sha256: string | null;
};
const findPayments = sql<PaymentRow>(
  'proof_payments',
  `select p.id, p.status, provider_intent_id, p.amount_minor, (
     select encode(o.card_token_sha256, 'hex') from payment_operations o
     where o.payment_id = p.id and o.kind = 'authorize') as token_sha256
   from payments p where session_id = $1 and type = 'purchase' order by p.created_at, p.id`,
);
const findOpen = sql<{ state: string }>(
  'proof_open',
  `select o.state from payment_operations o join payments p on p.id = o.payment_id
   where p.session_id = $1 and o.finished_at is null`,
);
const findEvents = sql<{ type: string }>(
  'proof_events',
  'select type from events where resource_id = $1 order by sequence',
);

/** Our payment status for each status of an intent. */
const worth: Readonly<Record<string, string>> = {
  succeeded: 'succeeded',
  requires_capture: 'authorized',
  canceled: 'failed',
};

type Ledger = { readonly entries: readonly { readonly kind: string }[] };

export async function check(checkout: Checkout): Promise<string[]> {
  const { world, account, session } = checkout;
  const [[row], payments, open, events, intents, orders] = await Promise.all([
    world.database.read(findSession, [session.id]),
    world.database.read(findPayments, [session.id]),
    world.database.read(findOpen, [session.id]),
    world.database.read(findEvents, [session.id]),
    intentsOf(checkout),
    ordersOf(checkout),
  ]);
  const said = await Promise.all([
    ...intents.map(async (id) => {
      const path = `/v1/payment_intents/${id}`;
      return { id, status: String((await account.get(path)).status) };
    }),
    ...orders.map(async (id) => {
      const { entries } = (await world.control('GET', `/_control/ledger?intent=${id}`)) as Ledger;
      // An order cannot be closed: an order without a capture took no money.
      const captured = entries.filter(({ kind }) => kind === 'capture').length;
      return { id, status: ['canceled', 'succeeded'][captured] ?? 'captured twice' };
    }),
  ]);
  const facts: CheckoutFacts = { row, payments, open, said, told: checkout.told, types: [] };
  facts.types.push(...events.map(({ type }) => type));
  countStates(checkout, facts);
  return rules.flatMap(([name, rule]) => rule(facts, checkout).map((text) => `${name}: ${text}`));
}

type CheckoutFacts = {
  readonly row: SessionRow | undefined;
  readonly payments: readonly PaymentRow[];
  readonly open: readonly { state: string }[];
  readonly said: readonly { id: string; status: string }[];
  readonly told: readonly ActorAnswer[];
  readonly types: string[];
};

const isLive = ({ status }: PaymentRow) => status !== 'failed' && status !== 'voided';
const livePayments = ({ payments }: CheckoutFacts) => payments.filter(isLive);

const rules: readonly (readonly [
  string,
  (facts: CheckoutFacts, checkout: Checkout) => string[],
])[] = [
  [
    'M11 at most one live payment',
    (facts) => (livePayments(facts).length > 1 ? ['two are live'] : []),
  ],
  [
    'M11 at the provider at most one intent is open, held or paid',
    ({ said }) => {
      const taken = said.filter(({ status }) => worth[status] !== 'failed');
      return taken.length > 1 ? [taken.map(({ id, status }) => `${id} ${status}`).join()] : [];
    },
  ],
  [
    'M6 each payment is where the provider is',
    ({ payments, said }) =>
      payments.flatMap(({ status, provider_intent_id: intent }) => {
        const provider = said.find(({ id }) => id === intent)?.status;
        const ours = worth[provider ?? ''] ?? 'failed';
        return ours === status ? [] : [`${status}, and the provider says ${provider}`];
      }),
  ],
  [
    'no money without a payment',
    ({ payments, said }) =>
      said.flatMap(({ id, status }) => {
        const isOurs = payments.some(({ provider_intent_id: intent }) => intent === id);
        return isOurs || worth[status] === 'failed' ? [] : [`${id} ${status}`];
      }),
  ],
  [
    'M12 no payment without a settled claim',
    ({ row, payments }) =>
      payments.length > 0 && (!row || row.status === 'unclaimed') ? ['a shell has payments'] : [],
  ],
  ['R1 nothing stays open', ({ open }) => open.map(({ state }) => state)],
  ['the session says how it ended', (facts) => checkSession(facts)],
  ['I9 one claim', (facts) => checkClaims(facts)],
  ['answers are honest', (facts) => checkAnswers(facts)],
  [
    'paid is what the session says',
    (facts) =>
      livePayments(facts)
        .filter(({ amount_minor }) => amount_minor !== facts.row?.total_minor)
        .map(({ amount_minor }) => `${amount_minor}, and it says ${facts.row?.total_minor}`),
  ],
  ['a buyer pays what was shown', checkShown],
];

function checkSession({ row, payments, types }: CheckoutFacts): string[] {
  if (!row) return types.length > 0 || payments.length > 0 ? ['deleted with a past'] : [];
  const alive = payments.filter(isLive).map(({ status }) => status);
  const expected: Readonly<Record<string, string[]>> = {
    completed: ['succeeded'],
    authorized: ['authorized'],
  };
  const wanted = expected[row.status] ?? [];
  const isRight = wanted.join() === alive.join();
  const ended = types.filter((type) => type.startsWith('checkout.session.'));
  const heard =
    row.status === 'expired'
      ? ['checkout.session.expired']
      : wanted.length > 0
        ? ['checkout.session.completed']
        : [];
  return [
    ...(isRight ? [] : [`${row.status} with payments ${alive.join() || 'none'}`]),
    ...(heard.join() === ended.join()
      ? []
      : [`${row.status} told as ${ended.join() || 'nothing'}`]),
  ];
}

function checkClaims({ told, row }: CheckoutFacts): string[] {
  const quantities = new Set(
    told.flatMap(({ actor, body }) => {
      if (!actor.startsWith('claim') || !body) return [];
      return (body.products as { quantity: number }[]).map(({ quantity }) => quantity);
    }),
  );
  if (quantities.size > 1) return ['two carts were accepted'];
  const [quantity] = quantities;
  return quantity !== undefined && row?.quantity !== quantity ? ['the accepted cart is lost'] : [];
}

/** When every call with the card named a total, the payment's amount must be one of them. */
function checkShown({ payments }: CheckoutFacts, { shown }: Checkout): string[] {
  return [...shown].flatMap(([token, totals]) => {
    if (totals.includes(null)) return [];
    const sha256 = createHash('sha256').update(token).digest('hex');
    const wrong = payments.filter(
      ({ token_sha256, amount_minor }) =>
        token_sha256 === sha256 && !totals.includes(Number(amount_minor) / 100),
    );
    return wrong.map(({ amount_minor }) => `${amount_minor} was charged, shown was ${totals}`);
  });
}

function checkAnswers({ told, payments }: CheckoutFacts): string[] {
  return told.flatMap(({ actor, body }) => {
    if (body?.type !== 'success') return [];
    const payment = payments.find(({ id }) => id === body.paymentId);
    return payment?.status === body.status ? [] : [`${actor} heard ${String(body.status)}`];
  });
}

function countStates(checkout: Checkout, { row, payments, told }: CheckoutFacts): void {
  checkout.count(`session ${row?.status ?? 'deleted'}`);
  for (const { code, body } of told) {
    if (code) checkout.count(code);
    if (typeof body?.type === 'string') checkout.count(`answer ${body.type}`);
  }
  if (payments.length > 1) checkout.count('several payments, one after the other');
}
