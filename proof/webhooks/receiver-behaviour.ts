// The behaviour of receivers. Reliability F30.

import { drawByRate, type Random } from '../kit/random.ts';

export const faults = [
  'redirect',
  'refused',
  'broken',
  'busy',
  'gone',
  'silent',
  'slow',
  'endless',
  'reset',
  'garbled',
] as const;
export type Fault = (typeof faults)[number];

/**
 * What a receiver does with a request. The bodies of the last two never end, but their status is
 * good.
 */
export type ReceiverBehaviour = 'ok' | Fault;

/** The share of its requests that a receiver treats in this way. */
export type FaultShares = Readonly<Partial<Record<Fault, number>>>;

/** The status that the sender gets; null when no response comes. */
export const statusOf: Readonly<Record<ReceiverBehaviour, number | null>> = {
  ok: 200,
  redirect: 302,
  refused: 404,
  broken: 503,
  busy: 429,
  gone: 410,
  silent: null,
  slow: 200,
  endless: 200,
  reset: null,
  garbled: null,
};

export const isGoodStatus = (deed: ReceiverBehaviour): boolean => statusOf[deed] === 200;

export const drawDeed = (temper: FaultShares, random: Random): ReceiverBehaviour =>
  drawByRate(random, faults, temper) ?? 'ok';

/**
 * The target of an endpoint's address: the receiver; a name that resolves to the receiver or to a
 * private address in turn; always a private address; the receiver by TLS, which it does not
 * support.
 */
export type TargetKind = 'plain' | 'moving' | 'hidden' | 'tls';

export type EndpointKind = { readonly way: TargetKind; readonly temper: FaultShares };

/** Returns the five endpoints that are subscribed to every event and get each in the end. */
export function drawSoundKinds(random: Random): EndpointKind[] {
  const randomUpTo = (most: number) => random.next() * most;
  const swarm = Object.fromEntries(
    faults.map((fault) => [
      fault,
      fault === 'gone' ? 0 : randomUpTo(fault === 'silent' ? 0.01 : 0.04),
    ]),
  );
  return [
    { way: 'plain', temper: {} },
    { way: 'plain', temper: { redirect: 0.02, refused: 0.03, broken: 0.04, busy: 0.03 } },
    {
      way: 'plain',
      temper: { reset: 0.02, garbled: 0.01, silent: 0.01, slow: 0.02, endless: 0.02 },
    },
    { way: 'moving', temper: { broken: 0.02 } },
    { way: 'plain', temper: swarm },
  ];
}

const troubled: readonly EndpointKind[] = [
  { way: 'plain', temper: { gone: 0.3, broken: 0.1 } },
  { way: 'plain', temper: { broken: 0.7, reset: 0.3 } },
  { way: 'hidden', temper: {} },
  { way: 'tls', temper: {} },
];

/**
 * Returns the endpoints that are disabled in the end, or whose deliveries fail: the n-th client has
 * two of the four.
 */
export const troubledEndpointsOf = (client: number): EndpointKind[] =>
  troubled.filter((_, at) => at % 2 === client % 2);
