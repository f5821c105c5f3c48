// A button that asks before its action, for what cannot be undone.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { CallFailure } from '../calls.ts';
import { useQuestion } from './dialog.tsx';
import { useAction } from './form.tsx';
import { Trouble } from './states.tsx';

export type ConfirmButtonProps = {
  readonly label: string;
  /** What the button acts on, for people who cannot see its row. */
  readonly name?: string;
  /** `second danger` or `quiet`. */
  readonly kind?: string;
  /** The question, and its two answers. */
  readonly title: string;
  readonly yes: string;
  readonly no?: string;
  /** Stated when the action failed. */
  readonly failed: string;
  /** False once there is nothing left to do: the button goes, and what failed stays to be read. */
  readonly isOffered?: boolean;
  /** More about a failure. */
  readonly trouble?: (failure: CallFailure) => ComponentChildren;
  /** The id of the text that says why not; null when the person may do it. */
  readonly whyNot?: string | null;
  readonly action: () => Promise<unknown>;
  /** What follows from the action. */
  readonly children: ComponentChildren;
};

export function ConfirmButton(given: ConfirmButtonProps) {
  const { label, name, kind = 'second danger', whyNot = null, isOffered = true } = given;
  const { run, isBusy, failure } = useAction(given.action);
  const { title, yes, no = 'Keep it', children: text } = given;
  const [press, dialog] = useQuestion({ title, yes, no, text }, run);
  const isOff = isBusy || whyNot !== null;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus is gone.
    if (failure && !isOffered) box.current?.focus();
  }, [failure, isOffered]);
  return (
    <>
      {failure && (
        <div tabIndex={-1} ref={box}>
          <Trouble failure={failure} title={given.failed}>
            {given.trouble?.(failure)}
          </Trouble>
        </div>
      )}
      {isOffered && (
        <button
          type="button"
          class={kind}
          {...(name ? { 'aria-label': name } : {})}
          aria-disabled={isOff}
          {...(whyNot === null ? {} : { 'aria-describedby': whyNot })}
          onClick={() => !isOff && press()}
        >
          {isBusy && <span class="spinner small" aria-hidden="true" />}
          {label}
        </button>
      )}
      {dialog}
    </>
  );
}
