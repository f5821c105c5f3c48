// Money moves of agents take two steps: a preview of what would happen, and the same call again
// with the confirmation that the preview returned. The confirmation contains what was shown,
// encrypted for the key of that very move, so nothing is stored here. Contract §6.

import { toMajor } from '../../../domain/money/money.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { refundableMinor } from '../../../domain/payments/refund.ts';
import { parseBase64url } from '../../../domain/protocol/base64url.ts';
import { SealedUnreadable } from '../../../storage/database/sealed.ts';
import type { PriorOperation } from '../../../storage/payments/prior-operations.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';
import { type Move, type OperationPreview, previewOperation } from './preview-operation.ts';

const confirmationMs = 10 * 60_000;

/** What the person was shown, and until when the confirmation is valid, in milliseconds since 1970. */
type ShownPreview = {
  readonly version: number;
  readonly amountMinor: number;
  readonly until: number;
};

export type Preview = {
  readonly effect: string;
  readonly paymentId: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly customer: {
    readonly userId: string | null;
    readonly externalId: string | null;
    readonly email: string | null;
  };
  readonly amountRefunded: number;
  readonly amountRefundable: number;
  readonly earlier: readonly {
    readonly occurrence: number;
    readonly at: string;
    readonly amount: number;
    readonly state: string;
    readonly status: string;
  }[];
  readonly confirmation: string;
  readonly confirmationExpiresAt: string;
};

/**
 * Previews the move, and returns the confirmation for it. Refuses what the move itself would refuse
 * at present, unless the same move was made before: then confirming returns its result.
 */
export async function previewForConfirmation(
  move: Move,
  caller: ServerCaller,
  ports: Ports,
): Promise<Preview> {
  const sight = await previewOperation(move, caller, ports);
  const { payment, amountMinor, refusal, earlier, now } = sight;
  const known = earlier.at(-1);
  if (refusal && !known) return refuse(refusal);
  const majorOf = (minor: number) => toMajor(minor, payment.currency);
  const untilMs = now.getTime() + confirmationMs;
  const seen: ShownPreview = { version: payment.version, amountMinor, until: untilMs };
  return {
    effect: describeEffect(move, sight),
    paymentId: payment.id,
    status: payment.status,
    amount: majorOf(known ? known.amountMinor : amountMinor),
    currency: payment.currency,
    customer: { userId: payment.userId, externalId: payment.externalId, email: payment.email },
    amountRefunded: majorOf(payment.refundedMinor),
    amountRefundable: payment.type === 'purchase' ? majorOf(refundableMinor(payment)) : 0,
    earlier: earlier.flatMap((each, index) => (each ? [showPrior(each, index, payment)] : [])),
    confirmation: ports.sealedHere
      .seal(placeOf(move, caller), JSON.stringify(seen))
      .toString('base64url'),
    confirmationExpiresAt: new Date(untilMs).toISOString(),
  };
}

const showPrior = (each: PriorOperation, index: number, { currency }: Payment) => ({
  occurrence: index + 1,
  at: each.at.toISOString(),
  amount: toMajor(each.amountMinor, currency),
  state: each.state,
  status: each.status,
});

/**
 * Binds the confirmation to the move's key, which stands for the person, client, tool and
 * everything that was asked, and to the caller's credential: after a new consent the move has to be
 * confirmed again.
 */
const placeOf = ({ keys }: Move, { tokenId }: ServerCaller) => ({
  table: 'payment_operations',
  rowId: `${keys.at(-1) ?? keys[0]} ${tokenId}`,
  field: 'confirmation',
});

function describeEffect(
  { kind, keys }: Move,
  { payment, amountMinor, earlier }: OperationPreview,
): string {
  const { currency, email } = payment;
  const amountText = (minor: number) => `${toMajor(minor, currency)} ${currency}`;
  const known = earlier.at(-1);
  if (known) {
    const again =
      kind === 'refund'
        ? ` A further refund of the same kind is occurrence ${keys.length + 1}.`
        : '';
    const at = known.at.toISOString();
    return `Nothing: this same ${kind} of ${amountText(known.amountMinor)} was made at ${at}. Confirming answers its result again.${again}`;
  }
  const whom = email === null ? 'the customer' : email;
  if (kind === 'capture') return `Collects ${amountText(amountMinor)} from ${whom}, once.`;
  if (kind === 'cancel') {
    return `Releases the hold of ${amountText(amountMinor)} of ${whom}; it cannot be collected any more.`;
  }
  const times = keys.length > 1 ? ` This is refund ${keys.length} of exactly this kind.` : '';
  return `Gives ${amountText(amountMinor)} back to ${whom}, of ${amountText(refundableMinor(payment))} that can be refunded.${times}`;
}

/**
 * Returns the amount that the confirmation allows. A move that was made before may always ask for
 * its result again. Refuses confirmation_invalid, confirmation_outdated, and what the preview
 * refuses.
 */
export async function confirmOperation(
  move: Move,
  confirmation: string,
  { caller, ports }: { caller: ServerCaller; ports: Ports },
): Promise<{ readonly amount: number }> {
  const seen = openConfirmation(move, confirmation, { caller, ports });
  if (!seen) return refuse('confirmation_invalid');
  const { payment, now, earlier } = await previewOperation(move, caller, ports);
  const allowed = { amount: toMajor(seen.amountMinor, payment.currency) };
  const known = earlier.at(-1);
  // A move that failed may be tried again, so it is checked like a first one.
  const isMade = known && (known.isAnswered || known.state !== 'failed');
  if (isMade) return allowed;
  if (now.getTime() > seen.until) return refuse('confirmation_invalid');
  if (!known && payment.version !== seen.version) return refuse('confirmation_outdated');
  return allowed;
}

function openConfirmation(
  move: Move,
  text: string,
  { caller, ports }: { caller: ServerCaller; ports: Ports },
): ShownPreview | undefined {
  const sealed = parseBase64url(text);
  if (!sealed) return undefined;
  try {
    return JSON.parse(ports.sealedHere.open(placeOf(move, caller), sealed)) as ShownPreview;
  } catch (error) {
    if (error instanceof SealedUnreadable) return undefined;
    throw error;
  }
}
