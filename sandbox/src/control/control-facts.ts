// What banks, card networks and the provider report without a movement of money: warnings of fraud, reviews,
// renewed and detached cards, the provider's own answers to disputes. Each is one transaction and returns the
// object as the API would show it.
import type { FastifyInstance } from 'fastify';
import { automaticActor, type Core } from '../core/core.ts';
import { answerByProvider, getDispute } from '../disputes/steps.ts';
import { detachMethod, renewCard } from '../payment-methods/payment-methods.ts';
import { closeReview, fraudTypes, getReview, openReview, warnOfFraud } from '../radar/warnings.ts';
import {
  BadControl,
  optional,
  readBody,
  readChoice,
  readText,
  readWhole,
} from '../requests/control-body.ts';
import { actorFor, findCharged, type IdParams } from './control-money.ts';

const closedReasons = [
  'acknowledged',
  'approved',
  'canceled',
  'payment_never_settled',
  'redacted',
] as const;

const registerWarningControls = (app: FastifyInstance, core: Core): void => {
  const { transaction } = core.store;
  app.post('/fraud-warnings', ({ body }) => {
    const given = readBody(body, ['intent', 'charge', 'fraudType']);
    const charge = findCharged(core, given);
    const type = readChoice(given.fraudType ?? 'made_with_stolen_card', 'fraudType', fraudTypes);
    const actor = actorFor(core, 'charge', charge);
    return transaction(() => warnOfFraud(actor, charge, type));
  });
  app.post('/reviews', ({ body }) => {
    const given = readBody(body, ['intent', 'charge', 'openedReason']);
    const charge = findCharged(core, given);
    const why = readChoice(given.openedReason ?? 'rule', 'openedReason', ['rule', 'manual']);
    const actor = actorFor(core, 'charge', charge);
    return transaction(() => openReview(actor, charge, why));
  });
  app.post<IdParams>('/reviews/:id/close', ({ params: { id }, body }) => {
    const given = readBody(body, ['reason']);
    const why = readChoice(given.reason ?? 'approved', 'reason', closedReasons);
    const actor = actorFor(core, 'review', id);
    return transaction(() => {
      const review = getReview(actor, id);
      if (!closeReview(actor, review, why)) throw new BadControl(`${id} is closed`);
      return review.object;
    });
  });
};

const readDigits = (value: unknown): string => {
  const text = readText(value, 'last4');
  if (/^\d{4}$/.test(text)) return text;
  throw new BadControl('last4 must be four digits');
};

/** A card is named by its id, or by a charge that it paid. */
const methodOf = (core: Core, id: string): string => {
  const charge = id.startsWith('ch_') ? core.resources.find('charge', id) : undefined;
  return charge ? String(charge.object.payment_method) : id;
};

const registerCardControls = (app: FastifyInstance, core: Core): void => {
  const { transaction } = core.store;
  app.post<IdParams>('/payment-methods/:id/renew', ({ params, body }) => {
    const id = methodOf(core, params.id);
    const given = readBody(body, ['expMonth', 'expYear', 'last4', 'brand']);
    const month = optional(given.expMonth, (value) => readWhole(value, 'expMonth', [1, 12]));
    const year = optional(given.expYear, (value) => readWhole(value, 'expYear', [2000, 2199]));
    const actor = actorFor(core, 'payment_method', id);
    const later = new Date(core.clock.nowMs()).getUTCFullYear() + 5;
    return transaction(() =>
      renewCard(actor, id, {
        expMonth: month,
        expYear: year ?? later,
        last4: optional(given.last4, readDigits),
        brand: optional(given.brand, (value) => readText(value, 'brand')),
      }),
    );
  });
  app.post<IdParams>('/payment-methods/:id/detach', ({ params, body }) => {
    const id = methodOf(core, params.id);
    readBody(body, []);
    const actor = { ...actorFor(core, 'payment_method', id), origin: 'dashboard' as const };
    return transaction(() => detachMethod(actor, id));
  });
};

export const registerFactControls = (app: FastifyInstance, core: Core): void => {
  registerWarningControls(app, core);
  registerCardControls(app, core);
  app.post<IdParams>('/disputes/:id/answer', ({ params: { id }, body }) => {
    readBody(body, []);
    const { account } = actorFor(core, 'dispute', id);
    return core.store.transaction(() => {
      const actor = automaticActor(core, account);
      if (!answerByProvider(actor, id)) throw new BadControl(`the provider does not answer ${id}`);
      return getDispute(actor, id).object;
    });
  });
};
