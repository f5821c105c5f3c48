// A saved card that changed at the provider: its network renewed it, or a charge showed another date. The
// provider's present word decides, whatever a notice says. docs/decisions/saved-cards.md.

import { type CardChange, changedCardFacts } from '../../../domain/payments/payment-method.ts';
import { findExternalId } from '../../../storage/customers/customers.ts';
import { readAskingTime, readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  findMethodOfProvider,
  lockMethod,
  refreshMethod,
} from '../../../storage/payment-methods/payment-methods.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import { removeDetached } from './remove-detached.ts';
import { showPaymentMethod } from './show-payment-method.ts';

export type CardLook =
  /** The card changed here, or is gone here as well. */
  | 'settled'
  | 'nothing_to_change'
  /** No active card of ours has the provider's id. */
  | 'unknown'
  /** Of a card that the provider keeps for another customer, or does not know. */
  | 'not_ours'
  /** The provider cannot be read, or something of ours has to end first: it is read again later. */
  | 'waits';

type Place = { readonly gatewayId: string; readonly providerMethodId: string };

/** How often a reading that was overtaken by another change is repeated at once. */
const mostReadings = 3;

/** Reads the card at the provider and takes over what it says. Repeatable, in any order. */
export async function lookAtCard(place: Place, ports: Ports): Promise<CardLook> {
  const { database } = ports;
  for (let reading = 1; reading <= mostReadings; reading++) {
    const method = await findMethodOfProvider(database, place.gatewayId, place.providerMethodId);
    if (!method) return 'unknown';
    const gateway = await openGateway(ports, method.clientId, method.gatewayId);
    const askedAt = await readAskingTime(database);
    const read = await ports.methodKeeper(gateway).retrieveMethod(place.providerMethodId);
    if (read.kind === 'in_doubt') return 'waits';
    // A provider that knows no such card may be another account's: nothing is removed on that word.
    if (read.kind === 'missing') return 'not_ours';
    const { customerId, card } = read.method;
    if (customerId === null) return removeDetached(method, ports);
    if (customerId !== method.providerCustomerId) return 'not_ours';
    if (!card || !changedCardFacts(method, card)) return 'nothing_to_change';
    const { clientId, id } = method;
    const outcome = await repeatWhenLost(() =>
      database.transaction(clientId, (tx) =>
        takeOverCard(tx, { clientId, id, card, askedAt }, ports),
      ),
    );
    if (outcome === 'behind') continue;
    ports.nudge('deliver-webhooks');
    return outcome;
  }
  return 'waits';
}

type Told = {
  readonly clientId: string;
  readonly id: string;
  readonly card: CardChange;
  /** The service's time before the provider was asked. */
  readonly askedAt: Date;
};

/** Stores the provider's card. `behind`: our row changed after the provider was asked, so its answer may be older. */
async function takeOverCard(
  tx: Tx,
  { clientId, id, card, askedAt }: Told,
  ports: Ports,
): Promise<'settled' | 'nothing_to_change' | 'behind'> {
  const method = await lockMethod(tx, clientId, id);
  if (method?.status !== 'active') return 'nothing_to_change';
  if (askedAt <= method.updatedAt) return 'behind';
  const before = changedCardFacts(method, card);
  if (!before) return 'nothing_to_change';
  const now = await readClock(tx);
  const { brand, lastFour, expiryMonth, expiryYear } = card;
  const next = await refreshMethod(tx, method, { brand, lastFour, expiryMonth, expiryYear, now });
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'payment_method.updated',
      clientId,
      isLive: next.isLive,
      now,
      resource: { type: 'payment_method', id, version: next.version },
      sequence: next.eventSeq,
      request: null,
      data: {
        object: {
          ...showPaymentMethod(next),
          userId: next.userId,
          externalId: await findExternalId(tx, next),
        },
        previousAttributes: before,
      },
    }),
  );
  return 'settled';
}
