// Forgets a customer, for the merchant and for the operator. Additions §5. docs/decisions/buyers.md.

import type { Event } from '@svc/contract/events/events';
import type { Customer } from '../../../domain/people/customer.ts';
import { findCustomer } from '../../../storage/customers/customers.ts';
import {
  type Blanked,
  type Forgotten,
  findToDelete,
  forgetInDatabase,
  listUnfinished,
  listVaulted,
  type OtherOfAddress,
  type ToDelete,
  type Unfinished,
  withRows,
} from '../../../storage/customers/forget-customer.ts';
import { listProviderCustomers } from '../../../storage/customers/provider-customers.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { appendCustomerEvent } from '../../steps/customers/append-customer-event.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { removePaymentMethod } from '../payment-methods/remove-payment-method.ts';
import { cancelStrangersAttempts, expireStrangers } from './end-strangers.ts';

export type WantedForgetting = {
  readonly clientId: string;
  readonly userId: string;
  readonly request: Event['request'];
  /** Absent where the operator asks. */
  readonly caller?: Caller;
  /** Records the change in the transaction that makes it. */
  readonly record: (tx: Tx, blanked: Blanked) => Promise<void>;
};

/** Reading all of a merchant's sessions takes longer than a statement of a request may. */
const patient = ['statement_timeout = 60000'] as const;

const errorOf = ({ kind, id, state }: Unfinished) => ({
  path: '',
  code: kind,
  message: `${kind.replaceAll('_', ' ')} ${id} has not ended: ${state.replaceAll('_', ' ')}`,
  id,
  state,
});

const refuseUnfinished = (unfinished: readonly Unfinished[]): never =>
  refuse('customer_in_use', { errors: unfinished.slice(0, 100).map(errorOf) });

export type ForgottenCustomer = {
  readonly customer: Customer;
  /** Told once: afterwards the address is nowhere. */
  readonly others: readonly OtherOfAddress[];
};

/**
 * Removes the customer's saved cards one by one, then blanks everything in one transaction. Repeatable: a card that
 * was removed stays removed. For a customer who was forgotten before it erases what people have written down since.
 * What strangers began under the id ends with it.
 * Refuses, in order: customer_not_found, customer_in_use, the refusals of a detachment.
 */
export async function forgetCustomer(
  wanted: WantedForgetting,
  ports: Ports,
): Promise<ForgottenCustomer> {
  const { clientId, userId, request, caller } = wanted;
  const { methods, vaulted, isForgotten, isStored, strangers } = await look(wanted, ports);
  for (const id of methods) {
    await removePaymentMethod(ports, { clientId, id, userId, request, ...(caller && { caller }) });
  }
  if (!isForgotten) await emptyProviders(wanted, ports);
  // A token lives for a day at most; a vault that does not answer deletes it by itself.
  for (const providerPaymentMethodId of vaulted) {
    await ports.vault.forget({ clientId, providerPaymentMethodId });
  }
  const forgotten = await blankBesideStrangers(strangers, wanted, ports);
  // A buyer without a row could not be locked: a session that began meanwhile is found by a second pass.
  if (!isStored) await blankBesideStrangers([], wanted, ports);
  ports.nudge('deliver-webhooks');
  return forgotten;
}

/** How many times sessions that strangers opened meanwhile are ended before the call is refused. */
const mostRounds = 3;

async function blankBesideStrangers(
  known: readonly Unfinished[],
  wanted: WantedForgetting,
  ports: Ports,
): Promise<ForgottenCustomer> {
  let strangers = known;
  for (let round = 1; ; round += 1) {
    await cancelStrangersAttempts(strangers, wanted, ports);
    try {
      return await repeatWhenLost(() => blank(wanted, ports));
    } catch (error) {
      if (!(error instanceof Unfinishable)) throw error;
      strangers = error.unfinished;
      const isOver = round === mostRounds || strangers.some(({ isStrangers }) => !isStrangers);
      if (isOver) return refuseUnfinished(strangers);
    }
  }
}

/** Thrown to roll back: something has not ended. */
class Unfinishable extends Error {
  readonly unfinished: readonly Unfinished[];

  constructor(unfinished: readonly Unfinished[]) {
    super('something of the customer has not ended');
    this.unfinished = unfinished;
  }
}

/**
 * Detaches what the providers keep for the customer beside our own rows: a page may have had a card
 * kept of which no answer told us.
 */
async function emptyProviders({ clientId, userId }: WantedForgetting, ports: Ports): Promise<void> {
  const customers = await listProviderCustomers(ports.database, { clientId, userId });
  for (const { gatewayId, customerId } of customers) {
    const keeper = ports.methodKeeper(await openGateway(ports, clientId, gatewayId));
    for (let page = 1; ; page++) {
      const listed = await keeper.listMethods(customerId);
      if (listed.kind !== 'found' || page > mostPages) return refuseKept('verification_failed');
      if (listed.methodIds.length === 0) break;
      for (const methodId of listed.methodIds) {
        await ports.vault.forget({ clientId, providerPaymentMethodId: methodId });
        const detached = await keeper.detachMethod({ key: `forget-${methodId}`, methodId });
        if (detached.kind !== 'confirmed') return refuseKept('provider_detach_failed');
      }
    }
  }
}

/** Ends the loop: the provider's list may keep showing cards that were just detached. No customer has more pages. */
const mostPages = 20;

const refuseKept = (reason: 'verification_failed' | 'provider_detach_failed'): never =>
  refuse('payment_method_deletion_failed', {
    ...{ reason, resolution: 'retry_delete', retrySafe: true, retryable: true },
  });

type Looked = {
  /** Saved cards, by id. */
  readonly methods: readonly string[];
  /** The provider's names of cards that the vault may have tokens of. */
  readonly vaulted: readonly string[];
  /** The customer was forgotten before: the cards went then, and no card was saved since. */
  readonly isForgotten: boolean;
  /** The buyer is a customer of the merchant. */
  readonly isStored: boolean;
  /** What nobody vouched for and has not ended. */
  readonly strangers: readonly Unfinished[];
};

/** Refuses before a card is removed where something else has not ended. */
const look = ({ clientId, userId }: WantedForgetting, { database }: Ports): Promise<Looked> =>
  database.transaction(
    clientId,
    async (tx) => {
      const customer = await findCustomer(tx, clientId, userId);
      const isStored = customer !== undefined;
      if (customer?.forgottenAt) {
        return { methods: [], vaulted: [], isForgotten: true, isStored, strangers: [] };
      }
      const unfinished = await listUnfinished(tx, clientId, userId);
      const strangers = unfinished.filter(({ isStrangers }) => isStrangers);
      const ours = unfinished.filter(({ isStrangers }) => !isStrangers);
      const cards = ours.filter(({ kind }) => kind === 'payment_method');
      if (cards.length < ours.length) {
        return refuseUnfinished(ours.filter(({ kind }) => kind !== 'payment_method'));
      }
      const methods = cards.map(({ id }) => id);
      const vaulted = await listVaulted(tx, clientId, userId);
      return { methods, vaulted, isForgotten: false, isStored, strangers };
    },
    patient,
  );

const blank = (wanted: WantedForgetting, ports: Ports): Promise<ForgottenCustomer> =>
  ports.database.transaction(
    wanted.clientId,
    async (tx) => {
      const { clientId, userId } = wanted;
      let done = await forgetInDatabase(tx, { clientId, userId, onlyCounts: false });
      if (done.kind === 'unfinished') {
        await expireStrangers(tx, done.unfinished, wanted, ports);
        done = await forgetInDatabase(tx, { clientId, userId, onlyCounts: false });
      }
      if (done.kind === 'missing') return refuse('customer_not_found');
      if (done.kind === 'unfinished') throw new Unfinishable(done.unfinished);
      const customer = await findCustomer(tx, clientId, userId);
      if (!customer?.forgottenAt) throw new Error(`customer ${userId} is not forgotten`);
      if (Object.keys(done.blanked).length > 0) await wanted.record(tx, done.blanked);
      if (done.kind === 'before') return { customer, others: [] };
      const { id, forgottenAt } = customer;
      const data = {
        object: { id, object: 'customer', forgottenAt: forgottenAt.toISOString() },
      } as const;
      const { request } = wanted;
      await appendCustomerEvent(tx, { type: 'customer.forgotten', customer, request, data }, ports);
      return { customer, others: done.others };
    },
    patient,
  );

/** Lists what forgetting does not blank: saved cards, which it removes, and customers that the provider keeps. */
export const listToDelete = (
  { clientId, userId }: Pick<WantedForgetting, 'clientId' | 'userId'>,
  { database }: Pick<Ports, 'database'>,
): Promise<ToDelete> => findToDelete(database, clientId, userId);

/** Counts what forgetting would change, and changes nothing. Saved cards would be removed first. */
export async function previewForgetting(
  { clientId, userId }: Pick<WantedForgetting, 'clientId' | 'userId'>,
  { database }: Pick<Ports, 'database'>,
): Promise<Forgotten> {
  const count = (tx: Tx) => forgetInDatabase(tx, { clientId, userId, onlyCounts: true });
  try {
    return await database.transaction(
      clientId,
      async (tx) => {
        throw new Undone(await count(tx));
      },
      patient,
    );
  } catch (error) {
    if (error instanceof Undone) return error.end;
    const { message, detail } = error as { message?: string; detail?: string };
    if (message !== 'only counted' || detail === undefined) throw error;
    const { blanked, others } = JSON.parse(detail) as Pick<Told, 'blanked' | 'others'>;
    return { kind: 'forgotten', blanked: withRows(blanked), others };
  }
}

type Told = Extract<Forgotten, { kind: 'forgotten' }>;

/** Thrown to roll back the transaction that began to erase the customer. */
class Undone extends Error {
  readonly end: Forgotten;

  constructor(end: Forgotten) {
    super(end.kind);
    this.end = end;
  }
}
