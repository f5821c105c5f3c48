// Saved wallets as payment methods: they are read and deleted. Only a payment saves a wallet, so
// nothing is set up here, and the wallet has no default. Spec: Saved payment methods.

import type { DetachOutcome, MethodKeeper, MethodList, MethodReading } from '../../engine/ports.ts';
import { customerIdOf, findPaymentToken, listPaymentTokens, sendDeletion } from './vault.ts';
import { emptyTrace, type Wire } from './wire.ts';

const notSupported = { kind: 'refused', code: 'not_supported', trace: emptyTrace } as const;
const notSetUp = { ...notSupported, declineCode: null } as const;

/** Repeatable: a wallet that is already deleted is confirmed. */
async function detach(wire: Wire, methodId: string): Promise<DetachOutcome> {
  const { made, mayStillArrive } = await sendDeletion(wire, methodId);
  const { trace } = made;
  if (made.kind === 'made') return { kind: 'confirmed', trace };
  // The method may have been deleted despite the error, or before: the wallet's present state
  // decides.
  const reading = await findPaymentToken(wire, methodId);
  if (reading.kind === 'missing') return { kind: 'confirmed', trace: reading.trace };
  if (mayStillArrive) return { kind: 'in_doubt', cause: 'no_answer', trace };
  const isNeverSent = made.kind === 'refused' && made.code === 'unavailable';
  if (made.kind === 'refused' && !isNeverSent) return made;
  const isKept = isNeverSent || reading.kind === 'found';
  return isKept
    ? { kind: 'not_done', cause: 'turned_away', trace }
    : { kind: 'in_doubt', cause: 'no_answer', trace };
}

async function readMethod(wire: Wire, methodId: string): Promise<MethodReading> {
  const reading = await findPaymentToken(wire, methodId);
  if (reading.kind !== 'found') return reading;
  const { customerId } = reading.value;
  // A token without a customer would look like a deleted one.
  if (customerId === null) {
    return { kind: 'in_doubt', cause: 'answer_mismatch', trace: reading.trace };
  }
  return { kind: 'found', method: { methodId, customerId }, trace: reading.trace };
}

/** A customer for whom nothing was ever saved is unknown to the wallet. */
async function listMethods(wire: Wire, customerId: string): Promise<MethodList> {
  const listed = await listPaymentTokens(wire, customerId);
  if (listed.kind === 'in_doubt') return listed;
  const saved = listed.kind === 'found' ? listed.value : [];
  const methodIds = saved.map(({ paymentTokenId }) => paymentTokenId);
  return { kind: 'found', methodIds, trace: listed.trace };
}

const customer = (customerId: string) =>
  ({
    kind: 'found',
    customer: { customerId, defaultMethodId: null },
    trace: emptyTrace,
  }) as const;

/** Saved methods of one account; each call has its own budget. */
export const walletKeeper = (start: () => Wire): MethodKeeper => ({
  // The wallet accepts the service's own id for a customer: nothing has to be created first.
  createCustomer: async ({ userId }) => customer(customerIdOf(userId)),
  retrieveCustomer: async (customerId) => customer(customerId),
  retrieveMethod: (methodId) => readMethod(start(), methodId),
  detachMethod: ({ methodId }) => detach(start(), methodId),
  setDefaultMethod: async () => notSupported,
  setUp: async () => notSetUp,
  cancelSetup: async () => notSetUp,
  retrieveSetup: async () => ({ kind: 'missing', trace: emptyTrace }),
  countSetupDeclines: async () => 0,
  listMethods: (customerId) => listMethods(start(), customerId),
});
