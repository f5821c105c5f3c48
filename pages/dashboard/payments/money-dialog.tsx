// The dialog before money moves, in all its states: asking, running, outcome not known yet.

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { countAction } from '../../kit/begun-actions.ts';
import type { CallFailure } from '../../kit/calls.ts';
import { Dialog } from '../../kit/parts/dialog.tsx';
import { Busy } from '../../kit/parts/form.tsx';
import { Trouble } from '../../kit/parts/states.tsx';
import { useRepeat } from '../../kit/read.ts';
import {
  type ActionIdentity,
  type ActionKind,
  askFor,
  endAction,
  type ResultOf,
  readStoredAction,
} from './money-action.ts';

export type MoneyAction = {
  readonly state: 'asking' | 'busy' | 'open';
  readonly failure: CallFailure | null;
  readonly ask: (body: object | null) => Promise<void>;
};

type Hooks<T> = {
  readonly onDone: (result: T) => void;
  /** Called when nothing was moved: what the page shows may be outdated. */
  readonly onRefused: (failure: CallFailure) => void;
};

/** The time between two repeats of a call whose outcome is not known yet. */
const askAgainMs = 4_000;

/** One action of this page. An action begun before a reload continues. */
export function useMoneyAction<K extends ActionKind>(
  action: ActionIdentity<K>,
  { onDone, onRefused }: Hooks<ResultOf<K>>,
): MoneyAction {
  const [state, setState] = useState<MoneyAction['state']>(
    readStoredAction(action)?.sent ? 'open' : 'asking',
  );
  // A ref, not state: a second press before the next render must see that a call is under way.
  const isAsking = useRef(false);
  const [failure, setFailure] = useState<CallFailure | null>(null);
  const request = async (body: object | null) => {
    if (isAsking.current) return;
    isAsking.current = true;
    if (state === 'asking') {
      countAction();
      setState('busy');
    }
    const answer = await askFor(action, body);
    isAsking.current = false;
    if (answer === null) {
      setState('asking');
      return;
    }
    if (answer.state === 'done') {
      onDone(answer.result);
      return;
    }
    setFailure(answer.failure);
    setState(answer.state === 'open' ? 'open' : 'asking');
    if (answer.state === 'not_done') onRefused(answer.failure);
  };
  // A person whose identity is not proven is asked again on the next press, and not by the timer.
  const isUnproven = failure?.code === 'recent_sign_in_required';
  useRepeat(() => request(null), askAgainMs, state === 'open' && !isUnproven);
  return { state, failure, ask: request };
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
      <strong>Not known yet. Do not {verb} again.</strong> The answer did not come. This page
      repeats the same request until it is answered. It is made only once.
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
