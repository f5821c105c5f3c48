// The dialog before money moves, in all its states: asking, running, outcome not known yet.

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CallFailure } from '../../kit/calls.ts';
import { Dialog } from '../../kit/parts/dialog.tsx';
import { Busy } from '../../kit/parts/form.tsx';
import { Trouble } from '../../kit/parts/states.tsx';
import { useRepeat } from '../../kit/read.ts';
import {
  type ActionIdentity,
  type ActionKind,
  endAction,
  type ResultOf,
  readStoredAction,
} from './money-action.ts';
import { MoneyRun, type RunHooks } from './money-run.ts';

export type MoneyAction = {
  readonly state: 'asking' | 'busy' | 'open';
  readonly failure: CallFailure | null;
  readonly ask: (body: object | null) => Promise<void>;
};

/** The time between two repeats of a call whose outcome is not known yet. */
const askAgainMs = 4_000;

/** One action of this page. An action begun before a reload continues. */
export function useMoneyAction<K extends ActionKind>(
  action: ActionIdentity<K>,
  hooks: RunHooks<ResultOf<K>>,
): MoneyAction {
  const run = useMemo(() => new MoneyRun(action, hooks), []);
  run.hooks = hooks;
  useRepeat(() => run.ask(null), askAgainMs, run.isRepeated);
  return { state: run.state.value, failure: run.failure.value, ask: run.ask };
}

type MoneyDialogProps = {
  readonly title: string;
  readonly action: ActionIdentity;
  readonly run: MoneyAction;
  /** What must not be done a second time while the outcome is not known, such as `refund`. */
  readonly verb: string;
  readonly onClose: () => void;
  readonly children: (close: () => void) => ComponentChildren;
};

export function MoneyDialog({ title, action, run, verb, onClose, children }: MoneyDialogProps) {
  const closed = () => {
    // An action that was never sent ends; a sent one stays until it has its response.
    if (!readStoredAction(action)?.sent) endAction(action);
    onClose();
  };
  return (
    <Dialog title={title} onClose={closed}>
      {(close) =>
        run.state === 'open' ? (
          <NotKnown run={run} verb={verb} close={close} />
        ) : (
          <>
            {run.failure && <Trouble failure={run.failure} title="Nothing was moved" />}
            {children(close)}
          </>
        )
      }
    </Dialog>
  );
}

type NotKnownProps = { run: MoneyAction; verb: string; close: () => void };

const NotKnown = ({ run, verb, close }: NotKnownProps) => (
  <div role="alert">
    <p class="hold-line">
      <strong>Not known yet. Do not {verb} again.</strong> No answer yet. This page repeats the same
      request until it gets one. The request takes effect only once.
    </p>
    {run.failure?.requestId && <p class="fine">Request {run.failure.requestId}</p>}
    <div class="ways">
      <Busy kind="second main" onClick={() => void run.ask(null)}>
        Ask again now
      </Busy>
      <button type="button" class="second" onClick={close}>
        Close
      </button>
    </div>
  </div>
);

type MoneyButtonsProps = {
  /** The action, such as `Capture €20`. */
  readonly title: string;
  readonly run: MoneyAction;
  /** Draws the action in red. */
  readonly isDanger: boolean;
  readonly close: () => void;
};

/** The buttons under a question that has nothing to fill in. */
export const MoneyButtons = ({ title, run, isDanger, close }: MoneyButtonsProps) => (
  <div class="form-ways">
    <Busy
      kind={isDanger ? 'second danger' : 'pay'}
      isBusy={run.state === 'busy'}
      onClick={() => void run.ask({})}
    >
      {title}
    </Busy>
    <button type="button" class="second" onClick={close}>
      Cancel
    </button>
  </div>
);
