// Movements of money that no API call caused: by a person in the provider's dashboard, a bank, or time.
// Each is one transaction and returns the object as the API would show it.
import type { FastifyInstance } from 'fastify';
import { failRefund, finishRefund, refundByHand } from '../charges/refunds.ts';
import { type Actor, automaticActor, type Core } from '../core/core.ts';
import { reinstateFunds } from '../disputes/funds.ts';
import { disputeReasons, intendedMethods, openDispute, openStatuses } from '../disputes/open.ts';
import {
  closeDispute,
  getDispute,
  outcomes,
  stateEvidence,
  withdrawFunds,
} from '../disputes/steps.ts';
import { cancelGuarded, captureGuarded } from '../intents/intent-guards.ts';
import { expireHold } from '../intents/intent-moves.ts';
import { takeBackCapture } from '../intents/reverse-capture.ts';
import {
  BadControl,
  type Body,
  optional,
  readBody,
  readChoice,
  readFlag,
  readText,
  readWhole,
} from '../requests/control-body.ts';
import { missingResource } from '../requests/errors.ts';
import type { Kind } from '../state/resources.ts';

export type IdParams = { Params: { id: string } };

const maxAmount = 99_999_999;

const readAmount = (body: Body, name = 'amount'): number | undefined =>
  optional(body[name], (value) => readWhole(value, name, [1, maxAmount]));

/** Returns an actor for the account that the object belongs to; 404 when there is no such object. */
/** Returns the id of an account that exists. */
export const accountOf = (core: Core, value: unknown): string => {
  const account = readText(value, 'account');
  if (core.store.one('select id from accounts where id = ?', account)) return account;
  throw new BadControl(`there is no account ${account}`);
};

export const actorFor = (core: Core, kind: Kind, id: string): Actor => {
  const kept = core.resources.find(kind, id);
  if (!kept) throw missingResource(kind, id, 'id');
  return automaticActor(core, kept.account);
};

const dashboardActor = (actor: Actor): Actor => ({ ...actor, origin: 'dashboard' });

export const registerIntentControls = (app: FastifyInstance, core: Core): void => {
  const { transaction } = core.store;
  app.post<IdParams>('/holds/:id/expire', ({ params: { id }, body }) => {
    readBody(body, []);
    const actor = actorFor(core, 'payment_intent', id);
    const isExpired = transaction(() => expireHold(actor, id));
    if (!isExpired) throw new BadControl(`${id} is no open hold`);
    return core.resources.find('payment_intent', id)?.object;
  });
  app.post<IdParams>('/intents/:id/capture', ({ params: { id }, body }) => {
    const amount = readAmount(readBody(body, ['amount_to_capture']), 'amount_to_capture');
    const actor = dashboardActor(actorFor(core, 'payment_intent', id));
    return transaction(() => captureGuarded(actor, id, { amount, values: {} }));
  });
  app.post<IdParams>('/intents/:id/cancel', ({ params: { id }, body }) => {
    readBody(body, []);
    const actor = dashboardActor(actorFor(core, 'payment_intent', id));
    return transaction(() => cancelGuarded(actor, id, 'requested_by_customer'));
  });
  app.post<IdParams>('/intents/:id/refund', ({ params: { id }, body }) => {
    const amount = readAmount(readBody(body, ['amount']));
    const actor = dashboardActor(actorFor(core, 'payment_intent', id));
    return transaction(() => refundByHand(actor, id, amount));
  });
  app.post<IdParams>('/intents/:id/take_back', ({ params: { id }, body }) => {
    readBody(body, []);
    const actor = actorFor(core, 'payment_intent', id);
    return transaction(() => takeBackCapture(actor, id));
  });
};

export const registerRefundControls = (app: FastifyInstance, core: Core): void => {
  const settle = (id: string, work: (actor: Actor) => boolean) => {
    const actor = actorFor(core, 'refund', id);
    if (!core.store.transaction(() => work(actor))) {
      const { status } = core.resources.get('refund', id, { account: actor.account }).object;
      throw new BadControl(`${id} is ${String(status)}`);
    }
    return core.resources.find('refund', id)?.object;
  };
  app.post<IdParams>('/refunds/:id/fail', ({ params: { id }, body }) => {
    const given = readBody(body, ['reason']);
    const reason = optional(given.reason, (value) => readChoice(value, 'reason', failureReasons));
    return settle(id, (actor) => failRefund(actor, id, reason));
  });
  app.post<IdParams>('/refunds/:id/succeed', ({ params: { id }, body }) => {
    readBody(body, []);
    return settle(id, (actor) => finishRefund(actor, id));
  });
};

const failureReasons = [
  'lost_or_stolen_card',
  'expired_or_canceled_card',
  'charge_for_pending_refund_disputed',
  'insufficient_funds',
  'declined',
  'merchant_request',
  'unknown',
] as const;

export const findCharged = (core: Core, body: Body): string => {
  if ((body.intent === undefined) === (body.charge === undefined)) {
    throw new BadControl('name the intent or the charge');
  }
  if (body.charge !== undefined) return readText(body.charge, 'charge');
  const id = readText(body.intent, 'intent');
  const intent = core.resources.find('payment_intent', id);
  if (!intent) throw missingResource('payment_intent', id, 'intent');
  const { latest_charge: charge } = intent.object;
  if (typeof charge !== 'string') throw new BadControl(`${id} has no charge`);
  return charge;
};

const readMoves = (body: Body): boolean =>
  optional(body.movesFunds, (value) => readFlag(value, 'movesFunds')) ?? true;

export const registerDisputeControls = (app: FastifyInstance, core: Core): void => {
  const { transaction } = core.store;
  const step = (id: string, work: (actor: Actor, dispute: ReturnType<typeof getDispute>) => void) =>
    transaction(() => {
      const actor = actorFor(core, 'dispute', id);
      const dispute = getDispute(actor, id);
      work(actor, dispute);
      return dispute.object;
    });
  app.post('/disputes', ({ body }) => {
    const names = [
      ...['intent', 'charge', 'amount', 'reason', 'status', 'movesFunds'],
      ...['intendedSubmission', 'isCe3'],
    ];
    const given = readBody(body, names);
    const charge = findCharged(core, given);
    const opening = {
      amount: readAmount(given),
      reason: readChoice(given.reason ?? 'fraudulent', 'reason', Object.keys(disputeReasons)),
      status: readChoice(given.status ?? 'needs_response', 'status', openStatuses),
      movesFunds: readMoves(given),
      intended: optional(given.intendedSubmission, (value) =>
        readChoice(value, 'intendedSubmission', intendedMethods),
      ),
      isCe3: optional(given.isCe3, (value) => readFlag(value, 'isCe3')),
    };
    const actor = actorFor(core, 'charge', charge);
    return transaction(() => openDispute(actor, charge, opening).object);
  });
  app.post<IdParams>('/disputes/:id/withdraw', ({ params: { id }, body }) => {
    const amount = readAmount(readBody(body, ['amount']));
    return step(id, (actor, dispute) => withdrawFunds(actor, dispute, amount));
  });
  app.post<IdParams>('/disputes/:id/reinstate', ({ params: { id }, body }) => {
    const amount = readAmount(readBody(body, ['amount']));
    return step(id, (actor, dispute) => reinstateFunds(actor, dispute, amount));
  });
  app.post<IdParams>('/disputes/:id/close', ({ params: { id }, body }) => {
    const given = readBody(body, ['outcome', 'movesFunds']);
    const outcome = readChoice(given.outcome, 'outcome', outcomes);
    const ending = { outcome, movesFunds: readMoves(given) };
    return step(id, (actor, dispute) => closeDispute(actor, dispute, ending));
  });
  app.post<IdParams>('/disputes/:id/evidence', ({ params: { id }, body }) => {
    const given = readBody(body, ['text', 'submit']);
    const words = readText(given.text ?? 'The customer received the goods.', 'text');
    const isSubmitted = optional(given.submit, (value) => readFlag(value, 'submit')) ?? true;
    return step(id, (actor, dispute) =>
      stateEvidence(dashboardActor(actor), dispute, {
        texts: { uncategorized_text: words },
        isSubmitted,
      }),
    );
  });
};
