import type { AccountHoldup } from '../operator/gateways.ts';
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';

/** Calls that wait longer than this are more than a burst. */
const longMs = 60_000;

/** Judges the calls to providers' accounts that wait for their turn. */
export function judgePace(holdups: readonly AccountHoldup[]): Finding[] {
  const waiting = holdups.filter((one) => one.waiting + one.postponed > 0);
  if (waiting.length === 0)
    return [goodFinding('pace', 'no call to a provider waits for its turn')];
  return waiting.map(({ accountId, waiting: calls, postponed, longestMs, factor }) => {
    const slower = factor < 1 ? `, at ${Math.round(factor * 100)} % of its rate` : '';
    const said = `calls to ${accountId} that wait for their turn: ${calls + postponed}, up to ${(longestMs / 1000).toFixed(1)} s${slower}`;
    const mend = 'docs/guides/provider-limits.md says what to ask the provider for';
    return longestMs > longMs ? wrongFinding('pace', said, mend) : noteFinding('pace', said, mend);
  });
}
