// A question over the page. The browser's own modal keeps the focus and gives it back; Escape closes.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

type DialogProps = {
  title: string;
  /** Called once it is closed, in whatever way: take the dialog away then. */
  onClose: () => void;
  children: (close: () => void) => ComponentChildren;
};

export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  // Closed first and taken away after: only a dialog that is there gives the focus back.
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} class="ask" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children(close)}
    </dialog>
  );
}
