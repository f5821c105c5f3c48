// Predicts the result of a provider call after the adapter has sent, repeated and read as it may,
// from the model's own facts. Reliability 4.3, Classification.

import type { ApiWeather } from './api-faults.ts';
import type { ProviderTruth } from './provider-truth.ts';
import { type ModelOperation, type Reference, resendMs, type Word } from './reference.ts';

type ModelAndProvider = { readonly model: Reference; readonly provider: ProviderTruth };

const hour = 3_600_000;
const silence: Word = { said: 'silence' };

/** Returns the key under which the operation is sent to the provider. */
export const keyOf = ({ id, attempt }: ModelOperation): string => `op-${id}-${attempt}`;

export function predictProviderResult(
  work: ModelOperation,
  weather: ApiWeather,
  sides: ModelAndProvider,
): Word {
  const { kind, purchaseId } = work;
  if (kind === 'refund') return foretellRefund(work, weather, sides);
  const { now } = sides.model;
  const { expiresAt } = sides.model.purchase(purchaseId);
  const isOver = expiresAt !== null && now >= expiresAt;
  if (kind === 'expire' || (kind === 'capture' && isOver)) {
    return isUnread(weather) ? silence : endHold(work, sides);
  }
  const isOld = now - work.firstSentAt > resendMs;
  if (kind === 'authorize' && (work.isChallenged || isOld)) {
    return isUnread(weather) ? silence : readAttempt(work, sides);
  }
  const key = keyOf(work);
  if (weather !== 'through') sides.provider.sent.add(key);
  if (weather === 'down') return silence;
  if (weather === 'lost') return readBack(sides.provider.read(purchaseId), kind === 'authorize');
  const word = sides.provider.send(purchaseId, { effect: kind, key, now }, weather);
  // The provider may have forgotten an earlier send, about which its recorded error states nothing.
  const isErrorAlone = word.said === 'refused' && word.code === 'provider_error';
  return isOld && isErrorAlone ? silence : word;
}

/** Whether no read of the provider arrives. Where nothing is sent, a read is all that there is. */
const isUnread = (weather: ApiWeather): boolean => weather === 'down' || weather === 'unseen';

/**
 * What a read after a lost request proves: that the payment has ended, or that an attempt took
 * effect.
 */
const readBack = (word: Word, isAttempt: boolean): Word =>
  word.said === 'captured' || word.said === 'released' || (isAttempt && word.said === 'held')
    ? word
    : silence;

/**
 * A refund is sent with one key until the provider may have forgotten the key; from then on it is
 * only searched for.
 */
function foretellRefund(
  work: ModelOperation,
  weather: ApiWeather,
  { model, provider }: ModelAndProvider,
): Word {
  const known = provider.refunds.get(work.id);
  if (weather === 'down') return silence;
  if (weather === 'lost') return known ? { said: known } : silence;
  if (model.now - work.firstSentAt < resendMs && known !== 'under_way') {
    return provider.sendRefund(work.id, work.purchaseId, weather);
  }
  return known && !isUnread(weather) ? { said: known } : silence;
}

/** An expired hold is only read, and released at the provider's own deadline. */
function endHold({ id, purchaseId }: ModelOperation, { model, provider }: ModelAndProvider): Word {
  const word = provider.read(purchaseId);
  const end = model.purchase(purchaseId).expiresAt ?? 0;
  if (word.said !== 'held' || model.now < end + 60_000) return word;
  const request = { effect: 'cancel', key: `expire-${id}`, now: model.now } as const;
  return provider.send(purchaseId, request, 'through');
}

/**
 * The attempt was given up or never confirmed: its intent is closed before the attempt counts as
 * ended.
 */
function readAttempt(
  { id, purchaseId, firstSentAt }: ModelOperation,
  { model, provider }: ModelAndProvider,
): Word {
  const word = provider.read(purchaseId);
  const isGivenUp = word.said === 'action' && model.now - firstSentAt > hour;
  if (word.said !== 'silence' && !isGivenUp) return word;
  const request = { effect: 'cancel', key: `close-${id}`, now: model.now } as const;
  provider.send(purchaseId, request, 'through');
  return { said: 'refused', code: 'authentication_failed' };
}
