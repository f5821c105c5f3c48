import { amountPrecision, type CatalogProblem } from '../../../domain/money/product.ts';
import type { RefusalFacts } from '../../../domain/protocol/refusal.ts';

/**
 * The refusal that problems with a product or coupon add up to, with one error per problem:
 * amount_precision where nothing but decimals is wrong. Contract §1, §8.
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
