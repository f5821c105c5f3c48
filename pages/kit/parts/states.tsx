// What pages show while they have nothing, or not everything, to show.

import { describeHolders, type Permission } from '@svc/contract/rows/roles';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { adviceOf } from '../advice.ts';
import { type CallFailure, preparingMs } from '../calls.ts';
import { AlertIcon } from '../icons.tsx';
import { useMerchant, useOwners } from '../merchant.ts';

type TroubleProps = {
  readonly failure: CallFailure;
  /** What could not be read or done. */
  readonly title?: string;
  /** True for the answer to what the person has just done: it takes the focus. */
  readonly hasFocus?: boolean;
  /** Absent after a 400: the same request would be refused again. */
  readonly onRetry?: (() => unknown) | undefined;
  readonly children?: ComponentChildren;
};

/** An error, with the id under which the service's log has it. */
export function Trouble({ failure, title, hasFocus = false, onRetry, children }: TroubleProps) {
  const advice = adviceOf(failure, useOwners());
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (hasFocus) box.current?.focus();
  }, [failure]);
  // What a person typed wrongly is in no log worth reading.
  const isLogged = failure.requestId && (!hasFocus || failure.status >= 500);
  return (
    <div
      class="notice"
      role={preparingMs(failure) ? 'status' : 'alert'}
      ref={box}
      {...(hasFocus ? { tabIndex: -1 } : {})}
    >
      <AlertIcon />
      <div>
        <strong>{title ?? failure.message}</strong>
        {title && <p>{failure.message}</p>}
        {advice && <p>{advice}</p>}
        {children}
        {isLogged && <p class="fine">Request {failure.requestId}</p>}
        {onRetry && failure.status !== 400 && (
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
  <div class="bones" aria-busy="true">
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

type EmptyProps = { readonly title: string; readonly children?: ComponentChildren };

/** True below the title of a block. */
export const insideBlock = createContext(false);

/** Shown in place of content: what will be here, and how that is created. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="nothing">
      {useContext(insideBlock) ? <h3>{title}</h3> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

type NotAllowedProps = {
  /** As in "may not …". */
  readonly action: string;
  readonly permission: Permission;
  /** For what is described by it. */
  readonly id?: string;
};

/** Why somebody cannot do what is shown, and whom to ask. */
export function NotAllowed({ action, permission, id }: NotAllowedProps) {
  const { owners } = useMerchant();
  return (
    <p class="fine" {...(id ? { id } : {})}>
      {describeHolders(permission)} may {action}. Ask {owners.join(', ')}.
    </p>
  );
}
