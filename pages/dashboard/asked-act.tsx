// A button whose act is asked about first, for what cannot be undone.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { AskDialog } from '../account/home-parts.tsx';
import { useAct } from '../account/parts.tsx';
import { Trouble } from './states.tsx';

type AskedActProps = {
  readonly label: string;
  /** What the button acts on, for people who cannot see its row. */
  readonly name?: string;
  /** `second danger` or `quiet`. */
  readonly kind?: string;
  /** The question, and its two answers. */
  readonly title: string;
  readonly yes: string;
  readonly no?: string;
  /** Stated when the act failed. */
  readonly failed: string;
  /** The id of the text that says why not; null where the person may. */
  readonly whyNot?: string | null;
  readonly act: () => Promise<unknown>;
  /** What follows from the act. */
  readonly children: ComponentChildren;
};

export function AskedAct(given: AskedActProps) {
  const { label, name, kind = 'second danger', failed, whyNot = null, act, children } = given;
  const [isAsking, ask] = useState(false);
  const { run, isBusy, failure } = useAct(act);
  const isOff = isBusy || whyNot !== null;
  return (
    <>
      {failure && <Trouble failure={failure} title={failed} />}
      <button
        type="button"
        class={kind}
        {...(name ? { 'aria-label': name } : {})}
        aria-disabled={isOff}
        {...(whyNot === null ? {} : { 'aria-describedby': whyNot })}
        onClick={() => !isOff && ask(true)}
      >
        {isBusy && <span class="spinner small" aria-hidden="true" />}
        {label}
      </button>
      {isAsking && (
        <AskDialog
          title={given.title}
          yes={given.yes}
          no={given.no ?? 'Keep it'}
          onAnswer={(isYes) => {
            ask(false);
            if (isYes) void run();
          }}
        >
          {children}
        </AskDialog>
      )}
    </>
  );
}
