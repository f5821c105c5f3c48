// The button of an action, with the question before it where it cannot be undone.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { CallFailure } from '../calls.ts';
import type { Section } from '../section.ts';
import { type Question, useQuestion } from './dialog.tsx';
import { useAction } from './form.tsx';
import { Trouble } from './states.tsx';

/** The action is a change of a section, whose error `TroubleAt` shows at the same place. */
type InSection<T> = {
  readonly section: Section<T>;
  readonly at: string;
  readonly onAction: () => unknown;
};

/** The button runs the action itself, and its error is shown above the button. */
export type OnItsOwn = {
  /** The title of the error. */
  readonly failed: string;
  /** More about an error. */
  readonly trouble?: (failure: CallFailure) => ComponentChildren;
  /** False once there is nothing left to do: the button goes, and the error stays to be read. */
  readonly isOffered?: boolean;
  /** The id of the text that says why not; null when the person may do it. */
  readonly whyNot?: string | null;
  readonly onAction: () => Promise<unknown>;
};

export type ButtonWords = {
  readonly children: string;
  /** What the button acts on, for people who cannot see its row. */
  readonly about?: string;
  /** `quiet`, the button of a row; `quiet danger`; `second danger`; `second main`. */
  readonly kind?: string;
  readonly question?: Question;
};

export const ActionButton = <T,>(given: ButtonWords & (InSection<T> | OnItsOwn)) =>
  'section' in given ? <SectionButton {...given} /> : <OwnButton {...given} />;

function SectionButton<T>({ section, at, ...words }: ButtonWords & InSection<T>) {
  const work = section.work.value;
  return <Pressed {...words} isBusy={work === at} isBlocked={work !== null} />;
}

function OwnButton(given: ButtonWords & OnItsOwn) {
  const { failed, trouble, isOffered = true, whyNot = null, onAction, ...words } = given;
  const { run, isBusy, failure } = useAction(onAction);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The button that had the focus is gone.
    if (failure && !isOffered) box.current?.focus();
  }, [failure, isOffered]);
  return (
    <>
      {failure && (
        <div tabIndex={-1} ref={box}>
          <Trouble failure={failure} title={failed}>
            {trouble?.(failure)}
          </Trouble>
        </div>
      )}
      {isOffered && (
        <Pressed
          {...words}
          isBusy={isBusy}
          isBlocked={isBusy || whyNot !== null}
          whyNot={whyNot}
          onAction={run}
        />
      )}
    </>
  );
}

type PressedProps = ButtonWords & {
  readonly isBusy: boolean;
  readonly isBlocked: boolean;
  readonly whyNot?: string | null;
  readonly onAction: () => unknown;
};

/** Uses `aria-disabled` in place of `disabled`, which would lose the focus. */
function Pressed(given: PressedProps) {
  const { children, about, kind = 'quiet', question, isBusy, isBlocked, whyNot, onAction } = given;
  const [press, dialog] = useQuestion(question, onAction);
  return (
    <>
      <button
        type="button"
        class={kind}
        aria-label={about ? `${children}: ${about}` : undefined}
        aria-disabled={isBlocked}
        aria-describedby={whyNot ?? undefined}
        onClick={() => !isBlocked && press()}
      >
        {isBusy && <span class="spinner small" aria-hidden="true" />}
        {children}
      </button>
      {dialog}
    </>
  );
}
