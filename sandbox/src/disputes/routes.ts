// The dispute calls.
import { statusAsOf } from '../charges/balance-transactions.ts';
import type { Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { flag, mergeMetadata, readNested, readText } from '../requests/parameters.ts';
import type { Kinds } from '../state/resources.ts';
import { type EvidenceTexts, evidenceRules, hasEvidence } from './evidence.ts';
import { intendedMethods } from './open.ts';
import { closeDispute, getDispute, stateEvidence } from './steps.ts';

const showDispute = (call: Call, object: Kinds['dispute']) => {
  const now = call.core.clock.now();
  const booked = object.balance_transactions.map((one) => statusAsOf(one, now));
  return { ...object, balance_transactions: booked };
};

const update = (call: Call) => {
  const dispute = getDispute(call, call.id);
  const given = readNested(call.values, 'evidence');
  const isStaged = given !== undefined || hasEvidence(dispute.object.evidence);
  const wanted = readText(call.values, 'intended_submission_method');
  const intended = intendedMethods.find((known) => known === wanted);
  // Metadata alone submits nothing. Evidence is submitted unless the call has `submit=false`.
  const isSubmitted = flag(call.values, 'submit') ?? given !== undefined;
  stateEvidence(call, dispute, {
    texts: (given ?? {}) as EvidenceTexts,
    metadata: mergeMetadata(dispute.object.metadata, call.values),
    isSubmitted: isSubmitted && isStaged,
    intended: intended ?? null,
  });
  return showDispute(call, dispute.object);
};

// The merchant accepts the dispute: it is lost, and the withdrawn money does not return. An accepted
// inquiry is only closed.
const close = (call: Call) => {
  const dispute = getDispute(call, call.id);
  const isInquiry = dispute.object.status.startsWith('warning_');
  closeDispute(call, dispute, {
    outcome: isInquiry ? 'warning_closed' : 'lost',
    movesFunds: false,
  });
  return showDispute(call, dispute.object);
};

export const disputeRoutes: Route[] = [
  {
    method: 'GET',
    path: '/disputes',
    accepts: { ...pageRules, charge: 'text', payment_intent: 'text' },
    run: (call) => {
      const page = answerList(call, 'dispute', {
        url: '/v1/disputes',
        charge: readText(call.values, 'charge'),
        intent: readText(call.values, 'payment_intent'),
      });
      return { ...page, data: page.data.map((object) => showDispute(call, object)) };
    },
  },
  {
    method: 'GET',
    path: '/disputes/:id',
    accepts: { expand: 'list' },
    run: (call) => showDispute(call, getDispute(call, call.id).object),
  },
  {
    method: 'POST',
    path: '/disputes/:id',
    accepts: {
      evidence: evidenceRules,
      intended_submission_method: intendedMethods,
      metadata: 'map',
      submit: 'flag',
      expand: 'list',
    },
    run: update,
  },
  {
    method: 'POST',
    path: '/disputes/:id/close',
    accepts: { expand: 'list' },
    run: close,
  },
];
