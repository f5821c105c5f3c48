// Tokens that this process read shortly before, for calls whose own statement checks again whether
// the token is valid: those need no query before it. The cache never decides anything. Decisions
// 0069, 0078.

import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import type { VerifiedToken } from '../../engine/steps/api-tokens/verify-api-token.ts';

/** Rows whose operations verify a recalled token in their claim, or in their query. */
export const recallingRows: ReadonlySet<RowShape> = new Set<RowShape>([
  rows.capturePayment,
  rows.cancelPayment,
  rows.createRefund,
  rows.getPayment,
]);

const longestMs = 60_000;
const mostTokens = 1000;

/** All calls with the token share one `tokenSha256` for as long as it is cached. */
type CachedToken = VerifiedToken & { readonly tokenSha256: Buffer };
type ExpiringToken = CachedToken & { readonly untilMs: number };

export class RecalledTokens {
  readonly #kept = new Map<string, ExpiringToken>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  find(clientId: string, tokenSha256: Buffer): CachedToken | undefined {
    const recalled = this.#kept.get(keyOf(clientId, tokenSha256));
    return recalled && this.#nowMs() < recalled.untilMs ? recalled : undefined;
  }

  /** Keeps the token until its next use has to be recorded, for which it is read again. */
  keep(clientId: string, tokenSha256: Buffer, verified: VerifiedToken): void {
    const key = keyOf(clientId, tokenSha256);
    this.#kept.delete(key);
    // A replaced value is found by another statement, and soon not at all.
    if (!verified.isCurrent) return;
    const { useDueMs } = verified;
    const ms = useDueMs > 0 ? Math.min(useDueMs, longestMs) : longestMs;
    this.#kept.set(key, { ...verified, tokenSha256, untilMs: this.#nowMs() + ms });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostTokens && oldest !== undefined) this.#kept.delete(oldest);
  }

  forget(clientId: string, tokenSha256: Buffer): void {
    this.#kept.delete(keyOf(clientId, tokenSha256));
  }
}

const keyOf = (clientId: string, tokenSha256: Buffer): string =>
  `${clientId} ${tokenSha256.toString('latin1')}`;
