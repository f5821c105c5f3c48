// The faults of the API layer: what happens to a request to the provider, caused by the sandbox.

import type { ApiFixture } from './api-fixture.ts';
import type { Effect, Weather } from './provider-truth.ts';

/** What the sandbox can do to one request and its repeats. */
export type ApiWeather =
  | Extract<Weather, 'through' | 'seen' | 'unseen' | 'refused'>
  /** The request is not executed and its response is lost; a later read succeeds. */
  | 'lost'
  /** Neither requests nor responses arrive. */
  | 'down';

/** More than the number of repeats of any call. */
const always = 9;

type Paths = { readonly post: string; readonly get: string };

const pathsOf = (kind: Effect | 'refund', intentId: string | null): Paths => {
  if (kind === 'refund') return { post: '/v1/refunds', get: '/v1/refunds' };
  const intent = `/v1/payment_intents/${intentId ?? '*'}`;
  const verbs = { authorize: 'confirm', capture: 'capture', cancel: 'cancel' };
  return { post: `${intent}/${verbs[kind]}`, get: intent };
};

/**
 * Sets faults for the next request of this kind. `hiccup` loses one response, and the repeat
 * succeeds.
 */
export async function arm(
  { world }: ApiFixture,
  request: { kind: Effect | 'refund'; intentId: string | null },
  { weather, hiccup }: { weather: ApiWeather; hiccup: boolean },
): Promise<void> {
  const { post, get } = pathsOf(request.kind, request.intentId);
  const onPost = { method: 'POST', path: post };
  if (weather === 'through') {
    if (hiccup) await world.fault(onPost, 'drop_reply', { count: 1 });
    return;
  }
  if (weather === 'lost') await world.fault(onPost, 'drop_request', { count: always });
  if (weather === 'seen' || weather === 'unseen') {
    await world.fault(onPost, 'drop_reply', { count: always });
  }
  if (weather === 'unseen') {
    await world.fault({ method: 'GET', path: get }, 'error_503_unrecorded', { count: always });
  }
  // The provider stores this answer for the key: a declined refund, or status 500 for a hold.
  if (weather === 'refused') {
    await world.fault(onPost, request.kind === 'refund' ? 'decline' : 'error_500', { count: 1 });
  }
}

/** Makes every request unanswered, as recovery finds it while the provider is down. */
export async function plantSilence({ world }: ApiFixture): Promise<void> {
  for (const path of ['/v1/payment_intents', '/v1/refunds']) {
    await world.fault({ path }, 'drop_request', { count: 999 });
  }
}

export const clearFaults = ({ world }: ApiFixture) => world.control('DELETE', '/_control/faults');
