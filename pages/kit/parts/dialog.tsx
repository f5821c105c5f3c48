// A modal dialog over the page. The browser's own modal keeps the focus and returns it; Escape closes.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

type DialogProps = {
  title: string;
  /** Called once the dialog is closed, in any way: the caller then removes it. */
  onClose: () => void;
  children: (close: () => void) => ComponentChildren;
};

/**
 * Returns a function that closes the dialog and then calls `onClosed`, the first time only. It closes first,
 * because only a dialog in the document returns the focus. It does not wait for the `close` event, which the
 * browser fires a task later: a dialog that was opened again in between would be closed by that event. For the
 * same reason the caller listens to `cancel`, which Escape fires first, and to `close` for what closes at once.
 */
export function useClosing<T extends unknown[]>(
  dialog: { readonly current: HTMLDialogElement | null },
  onClosed: (...given: T) => void,
): (...given: T) => void {
  const isClosed = useRef(false);
  return (...given) => {
    if (isClosed.current) return;
    isClosed.current = true;
    dialog.current?.close();
    onClosed(...given);
  };
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const end = useClosing(dialog, onClose);
  const close = () => end();
  return (
    <dialog ref={dialog} class="ask" aria-labelledby={id} onCancel={close} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children(close)}
    </dialog>
  );
}

type AskProps = {
  readonly title: string;
  readonly yes: string;
  readonly no?: string | undefined;
  readonly onAnswer: (isYes: boolean) => void;
  readonly children: ComponentChildren;
};

/** Asks for confirmation. Calls `onAnswer` once, also when the dialog is closed. */
export function AskDialog({ title, yes, no = 'Cancel', onAnswer, children }: AskProps) {
  const isYes = useRef(false);
  return (
    <Dialog title={title} onClose={() => onAnswer(isYes.current)}>
      {(close) => (
        <>
          {children}
          <div class="ways">
            <button type="button" class="second" onClick={close}>
              {no}
            </button>
            <button
              type="button"
              class="second danger"
              onClick={() => {
                isYes.current = true;
                close();
              }}
            >
              {yes}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Asked before an action that cannot be undone. */
export type Question = {
  readonly title: string;
  readonly yes: string;
  readonly no?: string;
  /** What follows from the action. */
  readonly text: ComponentChildren;
};

/** Returns what a press does, and the dialog while it is open. Without a question the press acts at once. */
export function useQuestion(question: Question | undefined, onYes: () => unknown) {
  const [isOpen, setOpen] = useState(false);
  const answer = (isYes: boolean) => {
    setOpen(false);
    if (isYes) void onYes();
  };
  const dialog = question && isOpen && (
    <AskDialog title={question.title} yes={question.yes} no={question.no} onAnswer={answer}>
      {question.text}
    </AskDialog>
  );
  return [() => (question ? setOpen(true) : void onYes()), dialog] as const;
}
