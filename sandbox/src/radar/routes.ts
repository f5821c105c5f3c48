// The calls about early fraud warnings and reviews.
import type { Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { invalidParameter } from '../requests/errors.ts';
import { readText } from '../requests/parameters.ts';
import { closeReview, getReview } from './warnings.ts';

const approve = (call: Call) => {
  const review = getReview(call, call.id);
  if (!closeReview(call, review, 'approved')) {
    throw invalidParameter(undefined, 'review', 'This review is already closed.');
  }
  return review.object;
};

export const radarRoutes: Route[] = [
  {
    method: 'GET',
    path: '/radar/early_fraud_warnings',
    accepts: { ...pageRules, charge: 'text', payment_intent: 'text' },
    run: (call) =>
      answerList(call, 'radar.early_fraud_warning', {
        url: '/v1/radar/early_fraud_warnings',
        charge: readText(call.values, 'charge'),
        intent: readText(call.values, 'payment_intent'),
      }),
  },
  {
    method: 'GET',
    path: '/radar/early_fraud_warnings/:id',
    accepts: { expand: 'list' },
    run: ({ core, id, account }) =>
      core.resources.get('radar.early_fraud_warning', id, { account }).object,
  },
  {
    method: 'GET',
    path: '/reviews',
    accepts: pageRules,
    run: (call) =>
      answerList(call, 'review', { url: '/v1/reviews', keep: (review) => review.open }),
  },
  {
    method: 'GET',
    path: '/reviews/:id',
    accepts: { expand: 'list' },
    run: (call) => getReview(call, call.id).object,
  },
  {
    method: 'POST',
    path: '/reviews/:id/approve',
    accepts: { expand: 'list' },
    run: approve,
  },
];
