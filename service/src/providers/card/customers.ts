// Customers and their saved methods at the card provider. Contract §5: a change by a detachment is
// read back before it counts.

import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { configurationCode, isKeyRefused } from '../../domain/protocol/key-refused.ts';
import { markMetadata, nameOfMaking } from '../../domain/protocol/marks.ts';
import type {
  ChangeOutcome,
  CustomerReading,
  DetachOutcome,
  MethodKeeper,
  MethodList,
  MethodReading,
} from '../../engine/ports.ts';
import { heldBackOutcome } from './holds.ts';
import { cardFacts } from './translate.ts';
import { isHeldBack, read, type SentCall, sendAgain, type Wire, type WireAnswer } from './wire.ts';

const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

function readCustomer(
  answer: WireAnswer<Stripe.Customer | Stripe.DeletedCustomer>,
): CustomerReading {
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const { value } = answer;
    if (value.object !== 'customer' || typeof value.id !== 'string') {
      return { kind: 'in_doubt', cause: 'answer_malformed', trace };
    }
    if (value.deleted) return { kind: 'missing', trace };
    const defaultMethodId = idOf(value.invoice_settings?.default_payment_method);
    return { kind: 'found', customer: { customerId: value.id, defaultMethodId }, trace };
  }
  const isMissing = answer.kind === 'error' && answer.status === 404;
  if (isMissing) return { kind: 'missing', trace };
  return isHeldBack(answer)
    ? heldBackOutcome(trace)
    : { kind: 'in_doubt', cause: 'no_answer', trace };
}

/**
 * Creates the customer once, by its key. When the provider remembers the key with another e-mail
 * address, another installation or an error, a second key is used: an extra customer costs nothing.
 */
export async function createCustomer(
  wire: Wire,
  call: Parameters<MethodKeeper['createCustomer']>[0],
): ReturnType<MethodKeeper['createCustomer']> {
  const { answer, isRecorded } = await sendCustomer(wire, call, call.key);
  const isTaken = answer.kind === 'error' && answer.error.rawType === 'idempotency_error';
  if (!isTaken && !isRecorded) return readMade(answer);
  const made = `${call.email} ${nameOfMaking(wire.making)}`;
  const mark = createHash('sha256').update(made).digest('hex').slice(0, 16);
  return readMade((await sendCustomer(wire, call, `${call.key}-${mark}`)).answer);
}

const sendCustomer = (
  wire: Wire,
  { email, userId }: Parameters<MethodKeeper['createCustomer']>[0],
  idempotencyKey: string,
) =>
  sendAgain(wire, (options) =>
    wire.sdk.customers.create(
      { email, metadata: { user_id: userId, ...markMetadata(wire.making) } },
      { ...options, idempotencyKey },
    ),
  );

function readMade(
  answer: WireAnswer<Stripe.Customer>,
): Awaited<ReturnType<MethodKeeper['createCustomer']>> {
  const isRefused =
    answer.kind === 'error' && answer.status < 500 && ![409, 429].includes(answer.status);
  if (isRefused) {
    return { kind: 'refused', code: configurationCode(answer.status), trace: answer.trace };
  }
  return readCustomer(answer);
}

export const retrieveCustomer = async (wire: Wire, customerId: string): Promise<CustomerReading> =>
  readCustomer(await read(wire, (options) => wire.sdk.customers.retrieve(customerId, {}, options)));

const translateMethod = ({ id, customer, type, card }: Stripe.PaymentMethod) => ({
  methodId: id,
  customerId: idOf(customer),
  ...(type === 'card' && card ? { card: cardFacts(card) } : {}),
});

export async function retrieveMethod(wire: Wire, methodId: string): Promise<MethodReading> {
  const answer = await read(wire, (options) =>
    wire.sdk.paymentMethods.retrieve(methodId, {}, options),
  );
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const { value } = answer;
    return value.object === 'payment_method' && value.id === methodId
      ? { kind: 'found', method: translateMethod(value), trace }
      : { kind: 'in_doubt', cause: 'answer_malformed', trace };
  }
  const isMissing = answer.kind === 'error' && answer.status === 404;
  if (isMissing) return { kind: 'missing', trace };
  return isHeldBack(answer)
    ? heldBackOutcome(trace)
    : { kind: 'in_doubt', cause: 'read_failed', trace };
}

/** Lists the newest hundred at most, of whatever type. A deleted customer keeps nothing. */
export async function listMethods(wire: Wire, customerId: string): Promise<MethodList> {
  const answer = await read(wire, (options) =>
    wire.sdk.customers.listPaymentMethods(customerId, { limit: 100 }, options),
  );
  const { trace } = answer;
  if (answer.kind === 'error' && answer.status === 404) {
    return { kind: 'found', methodIds: [], trace };
  }
  if (answer.kind !== 'ok' || !Array.isArray(answer.value.data)) {
    return { kind: 'in_doubt', cause: 'read_failed', trace };
  }
  return { kind: 'found', methodIds: answer.value.data.map(({ id }) => id), trace };
}

function changeOutcome(answer: WireAnswer<unknown>): ChangeOutcome {
  const { trace } = answer;
  if (answer.kind === 'ok') return { kind: 'confirmed', trace };
  const isRefused =
    answer.kind === 'error' && answer.status < 500 && ![409, 429].includes(answer.status);
  const said = (answer.kind === 'error' && answer.error.code) || 'provider_error';
  const code = isKeyRefused(trace.httpStatus) ? 'key_refused' : said;
  return isRefused
    ? { kind: 'refused', code, trace }
    : { kind: 'in_doubt', cause: 'no_answer', trace };
}

export async function setDefaultMethod(
  wire: Wire,
  { key, customerId, methodId }: Parameters<MethodKeeper['setDefaultMethod']>[0],
): Promise<ChangeOutcome> {
  const { answer } = await sendAgain(wire, (options) =>
    wire.sdk.customers.update(
      customerId,
      { invoice_settings: { default_payment_method: methodId ?? '' } },
      { ...options, idempotencyKey: key },
    ),
  );
  return changeOutcome(answer);
}

/**
 * In doubt only while some send of it may still take effect: its answer was lost, or the provider
 * reports that a request with the key is being executed.
 */
export async function detachMethod(
  wire: Wire,
  { key, methodId }: Parameters<MethodKeeper['detachMethod']>[0],
): Promise<DetachOutcome> {
  const sent = await sendAgain(wire, (options) =>
    wire.sdk.paymentMethods.detach(methodId, {}, { ...options, idempotencyKey: key }),
  );
  const outcome = changeOutcome(sent.answer);
  if (outcome.kind === 'confirmed') return outcome;
  // The method was detached before, or the answer was lost: the method's present state decides.
  const reading = await retrieveMethod(wire, methodId);
  const isGone =
    reading.kind === 'missing' || (reading.kind === 'found' && !reading.method.customerId);
  const { trace } = outcome;
  if (isGone) return { kind: 'confirmed', trace: reading.trace };
  if (mayStillArrive(sent)) return { kind: 'in_doubt', cause: 'no_answer', trace };
  if (outcome.kind === 'refused') return outcome;
  const isKept = sent.isNotDone || reading.kind === 'found';
  return isKept ? { kind: 'not_done', cause: 'turned_away', trace } : outcome;
}

function mayStillArrive({ answer, hasLostOne }: SentCall<unknown>): boolean {
  if (hasLostOne || (answer.kind === 'lost' && !answer.isNeverSent)) return true;
  return answer.kind === 'error' && answer.error.rawType === 'idempotency_error';
}
