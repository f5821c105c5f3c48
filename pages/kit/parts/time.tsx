// Instants, and facts in one line.

import type { ComponentChildren, VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { timeWords, zoneContext } from '../times.ts';

/**
 * A time in the page's time zone. The tooltip shows it in UTC and, where the page has a zone, in the reader's
 * own zone too.
 */
export function Time({ at }: { at: string }) {
  const zone = useContext(zoneContext);
  const own = zone === null ? '' : ` · on your own clock ${timeWords(at, null)}`;
  return (
    <time dateTime={at} title={at + own}>
      {timeWords(at, zone)}
    </time>
  );
}

/** `Made 21 Nov 2026, 22:10`. */
export const SaidAt = ({ said, at }: { said: string; at: string }) => (
  <>
    {said} <Time at={at} />
  </>
);

/** The instant up to which a standby has counted; nothing where the database itself counted. */
export const CountedUntil = ({ at }: { at: string | null }) =>
  at === null ? null : (
    <p class="fine">
      <SaidAt said="Counted up to" at={at} />
    </p>
  );

/** The same as one of a row's facts. */
export const timeFact = (said: string, at: string): VNode => <SaidAt said={said} at={at} />;

/** Facts in one line, separated by dots. Empty ones get no dot. */
export const FactLine = ({ children }: { children: ComponentChildren }) => (
  <p class="facts">
    {[children]
      .flat()
      .filter((fact) => fact !== null && fact !== undefined && fact !== false && fact !== '')
      .map((fact, place) => (
        <span key={place}>{fact}</span>
      ))}
  </p>
);
