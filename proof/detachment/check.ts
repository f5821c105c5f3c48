// What must be true of a detachment: at every step, for every response, and at the end. Reliability
// §2.9.

import { chooseReplacement } from '../../service/src/domain/payments/payment-method.ts';
import type { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { hasLiveUse } from '../../service/src/storage/payment-methods/payment-method-uses.ts';
import { isBeingRemoved } from '../../service/src/storage/payment-methods/payment-methods.ts';
import type { Card, Detachment } from './fixture.ts';

/** The result of a call; null when the process died and nobody got a response. */
export type DetachmentAnswer = { readonly status: 204 } | { readonly refusal: Refusal } | null;

type Row = { id: string; status: string; state: string | null; step: string | null; tries: number };

const findMethods = sql<Row>(
  'proof_detachment_methods',
  `select m.id, m.status, r.state, r.step, coalesce(r.tries, 0) as tries from payment_methods m
   left join payment_method_detachments r on r.payment_method_id = m.id where m.user_id = $1`,
);
const findFunding = sql<{ id: string; on: string | null }>(
  'proof_detachment_funding',
  `select s.id, s.payment_method_id as on from subscriptions s where s.user_id = $1
   union all select c.id, c.default_payment_method_id from customers c where c.id = $1`,
);
const findEvents = sql<{ type: string; sequence: number }>(
  'proof_detachment_events',
  'select type, sequence from events where resource_id = $1 order by sequence',
);

export type StoredState = {
  readonly methods: ReadonlyMap<string, Row>;
  /** The method of each subscription, and the customer's default method, by id. */
  readonly funding: ReadonlyMap<string, string | null>;
};

async function readStored({ fixture, userId }: Detachment): Promise<StoredState> {
  const { database } = fixture.db;
  const [methods, funding] = await Promise.all([
    database.read(findMethods, [userId]),
    database.read(findFunding, [userId]),
  ]);
  return {
    methods: new Map(methods.map((row) => [row.id, row])),
    funding: new Map(funding.map((row) => [row.id, row.on])),
  };
}

const cardOf = ({ target, others }: Detachment, id: string | null): Card | undefined =>
  [target, ...others].find(({ method }) => method.id === id);

const isKept = ({ provider }: Detachment, { method, providerId }: Card): boolean =>
  provider.methods.get(providerId) === method.providerCustomerId;

/** Returns the subscriptions that have not ended, and the customer's default. */
function dependents(
  detachment: Detachment,
  { funding }: StoredState,
): (readonly [string, string])[] {
  const over = new Set(
    detachment.subscriptions.filter((one) => one.isCanceled).map(({ id }) => id),
  );
  return [...funding].flatMap(([id, on]) =>
    over.has(id) || on === null ? [] : [[id, on] as const],
  );
}

/** P2: at no time does anything depend on a removed card, here or at the provider. */
export async function checkNow(detachment: Detachment): Promise<StoredState> {
  const seen = await readStored(detachment);
  const { violations, target } = detachment;
  for (const [id, on] of dependents(detachment, seen)) {
    if (seen.methods.get(on)?.status !== 'active')
      violations.push(`P2: ${id} is on a removed card`);
    if (on === target.method.id && !isKept(detachment, target)) {
      violations.push(`P2: ${id} is on a card that the provider has let go`);
    }
  }
  return seen;
}

export async function checkAnswer(
  detachment: Detachment,
  told: DetachmentAnswer,
  { isBlocked, before }: { readonly isBlocked: boolean; readonly before: StoredState },
): Promise<void> {
  if (told === null) return;
  const { violations, provider, target, vault } = detachment;
  const seen = await checkNow(detachment);
  const row = seen.methods.get(target.method.id);
  if ('status' in told) {
    if (isBlocked) violations.push('P5: removed under a payment that is not over');
    if (row?.status !== 'removed') violations.push(`P4: 204, and it is ${row?.status}`);
    if (provider.methods.get(target.providerId)) violations.push('P2: 204, and it is attached');
    if (vault.get(target.providerId)) violations.push('204, and the vault knows it');
    return;
  }
  const { code, facts } = told.refusal;
  if (isBlocked && code !== 'payment_method_has_active_payment') violations.push(`P5: ${code}`);
  if (code === 'payment_method_deletion_failed') {
    const { reason, resolution, retrySafe } = facts;
    if (!reason || !resolution || retrySafe === undefined) violations.push('502 without its facts');
    if (retrySafe === false && row?.step !== 'detached') {
      violations.push('502 that is unsafe to repeat before the detach');
    }
  }
  if (row?.state === 'running') {
    detachment.count('left on the way');
    if (row.tries === 0) violations.push(`${code}: it runs on, and nothing was sent`);
    const isUndone = ['refused', 'not_done'].includes(provider.lastDetach ?? '');
    if (row.tries === 1 && isUndone) violations.push('P3: half removed, and surely not detached');
    return;
  }
  checkUntouched(detachment, code, { before, seen });
  const live = await detachment.fixture.db.database.transaction(
    detachment.fixture.clientId,
    async (tx) => ({
      isLive: await hasLiveUse(tx, target.method),
      isClaimed: await isBeingRemoved(tx, target.method),
    }),
  );
  if (live.isClaimed) violations.push('P3: it takes no use any more');
  if (live.isLive !== isBlocked) violations.push('P5: a live use was overlooked');
}

/** P3: a detachment that failed has changed nothing. */
function checkUntouched(
  detachment: Detachment,
  code: string,
  { before, seen }: { readonly before: StoredState; readonly seen: StoredState },
): void {
  const { violations, target } = detachment;
  if (seen.methods.get(target.method.id)?.status !== 'active') violations.push(`P3: ${code}, gone`);
  if (!isKept(detachment, target)) violations.push(`P3: ${code}, and the provider has let it go`);
  const wasRunning = before.methods.get(target.method.id)?.state === 'running';
  for (const { id, on } of detachment.subscriptions) {
    const now = seen.funding.get(id);
    if (now !== on) violations.push(`P3: ${code}, and ${id} has moved`);
    if (!wasRunning && before.funding.get(id) !== now) violations.push(`P3: ${id} has moved`);
  }
  if (seen.funding.get(detachment.userId) !== detachment.defaultId) {
    violations.push(`P3: ${code}, and the default has moved`);
  }
}

/** Without faults a detachment returns 204, or the one refusal that the customer's cards require. */
export async function checkEnd(detachment: Detachment, told: DetachmentAnswer): Promise<void> {
  const { violations, target, others, subscriptions, provider, fixture } = detachment;
  await checkAnswer(detachment, told, { isBlocked: false, before: await readStored(detachment) });
  const events = await fixture.db.database.read(findEvents, [target.method.id]);
  const gaps = events.some(({ sequence }, index) => sequence !== index + 1);
  if (gaps) violations.push('E1: events are not numbered from 1 without a gap');
  const types = events.map(({ type }) => type).join(' ');
  const chosen = chooseReplacement(
    target.method,
    others.map(({ method }) => method),
  );
  const isNeeded = subscriptions.some(
    ({ on, isCanceled }) => on === target.method.id && !isCanceled,
  );
  const replacement = cardOf(detachment, chosen?.id ?? null);
  const isStuck = isNeeded && !(replacement && isKept(detachment, replacement));
  const mayBeStuck = replacement !== undefined && !isKept(detachment, replacement);
  if (told && 'status' in told) {
    const wanted =
      /^payment_method\.activated (payment_method\.replaced )?payment_method\.deleted$/;
    if (!wanted.test(types)) violations.push(`E1: removed, and told as ${types}`);
    if (isNeeded && !types.includes('replaced')) violations.push('E1: moved, and not told');
    if (isStuck) violations.push('P2: removed, and nothing could take over');
    if ([...provider.defaults.values()].includes(target.providerId)) {
      violations.push("P2: removed, and the provider's default");
    }
    return;
  }
  if (types !== 'payment_method.activated') violations.push(`E1: not removed, told as ${types}`);
  if (isStuck || mayBeStuck) return;
  violations.push(
    `repeats end in ${told === null ? 'nothing' : JSON.stringify(told.refusal.facts)}`,
  );
}
