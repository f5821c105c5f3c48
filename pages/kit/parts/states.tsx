// What pages show while they have nothing, or not everything, to show.

import { describeHolders, type Permission } from '@svc/contract/roles';
import type { ComponentChildren } from 'preact';
import type { CallFailure } from '../calls.ts';
import { AlertIcon } from '../icons.tsx';
import { useMerchant, useOwners } from '../merchant.ts';

const waits = new Intl.NumberFormat('en', { style: 'unit', unit: 'second', unitDisplay: 'long' });

function adviceOf({ status, retryAfter, code }: CallFailure, owners: readonly string[]) {
  if (status === 429) return retryAfter ? `Try again in ${waits.format(retryAfter)}.` : null;
  if (code === 'merchant_role_required') return `Ask ${owners.join(', ') || 'an owner'}.`;
  return null;
}

type TroubleProps = {
  readonly failure: CallFailure;
  /** What could not be read or done. */
  readonly title?: string;
  readonly onRetry?: (() => unknown) | undefined;
  readonly children?: ComponentChildren;
};

/** An error, with the id under which the service's log has it. */
export function Trouble({ failure, title, onRetry, children }: TroubleProps) {
  const advice = adviceOf(failure, useOwners());
  return (
    <div class="notice" role="alert">
      <AlertIcon />
      <div>
        <strong>{title ?? failure.message}</strong>
        {title && <p>{failure.message}</p>}
        {advice && <p>{advice}</p>}
        {children}
        {failure.requestId && <p class="fine">Request {failure.requestId}</p>}
        {onRetry && (
          <button type="button" class="quiet" onClick={() => void onRetry()}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** The placeholder of a list or page that is read for the first time. */
export const Bones = ({ lines = 6 }: { lines?: number }) => (
  <div aria-busy="true">
    <p class="unseen" role="status">
      Loading
    </p>
    <div aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="bone bone-line" />
      ))}
    </div>
  </div>
);

type NothingProps = { readonly title: string; readonly children?: ComponentChildren };

export const EmptyState = ({ title, children }: NothingProps) => (
  <div class="nothing">
    <h2>{title}</h2>
    {children}
  </div>
);

type NotAllowedProps = {
  /** As in "may not …". */
  readonly act: string;
  readonly permission: Permission;
  /** For what is described by it. */
  readonly id?: string;
};

/** Why somebody cannot do what is shown, and whom to ask. */
export function NotAllowed({ act, permission, id }: NotAllowedProps) {
  const { owners } = useMerchant();
  return (
    <p class="fine" {...(id ? { id } : {})}>
      {describeHolders(permission)} may {act}. Ask {owners.join(', ')}.
    </p>
  );
}
