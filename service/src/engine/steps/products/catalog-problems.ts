import { amountPrecision, type CatalogProblem } from '../../../domain/money/product.ts';
import type { RefusalFacts } from '../../../domain/protocol/refusal.ts';

/**
 * Refuses the problems of a product or coupon, with one error per problem: amount_precision where
 * only decimals are wrong, else invalid_request. Contract §1, §8.
 */
export function refuseProblems(
  problems: readonly CatalogProblem[],
  refuse: (code: 'invalid_request' | 'amount_precision', facts: RefusalFacts) => never,
): void {
  const [first] = problems;
  if (!first) return;
  const isPrecision = problems.every(({ code }) => code === amountPrecision);
  refuse(isPrecision ? 'amount_precision' : 'invalid_request', {
    message: first.message,
    errors: problems,
  });
}
