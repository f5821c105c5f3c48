// What can be done with chosen holds: the question before it, and how each of them ended.

import type { Payment } from '@svc/contract/payments/payments';
import { useEffect, useState } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import type { ChosenProps } from '../../kit/list/list-spec.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { Tag } from '../../kit/parts/bits.tsx';
import { Dialog } from '../../kit/parts/dialog.tsx';
import { Busy } from '../../kit/parts/form.tsx';
import { Trouble } from '../../kit/parts/states.tsx';
import { person } from '../../kit/person.ts';
import { useRepeat } from '../../kit/read.ts';
import { countedNoun, type Words } from '../../kit/words.ts';
import {
  type BatchKind,
  type BatchRow,
  type ChosenHold,
  type HoldBatch,
  holdBatchOf,
  sumsOf,
} from './hold-batch.ts';

const askAgainMs = 4_000;

const titleOf = (kind: BatchKind, count: number): string =>
  `${kind === 'capture' ? 'Capture' : 'Release'} ${countedNoun(count, ['hold', 'holds'])}`;

export function ChosenHolds({ chosen, again, clear }: ChosenProps<ChosenHold>) {
  const { clientId } = useMerchant();
  const personId = person.value?.id ?? '';
  const run = holdBatchOf({ clientId, personId });
  const [question, setQuestion] = useState<BatchKind | null>(null);
  // What was begun in this tab before a reload is shown at once.
  const [isShown, setShown] = useState(run.batch.value !== null);
  const open = run.rowsIn('open').length;
  const isProofMissing = run.failure.value?.code === 'recent_sign_in_required';
  useRepeat(run.askAgain, askAgainMs, open > 0 && !run.isBusy.value && !isProofMissing);
  useEffect(() => void run.askAgain(), [run]);
  const begin = async (kind: BatchKind) => {
    setQuestion(null);
    setShown(true);
    await run.begin(kind, chosen);
    clear();
    await again();
  };
  const closeResults = () => {
    run.close();
    setShown(false);
    void again();
  };
  return (
    <>
      {chosen.length > 0 && !run.batch.value && <Bar chosen={chosen} onChoose={setQuestion} />}
      {run.batch.value && !isShown && (
        <p class="hold-line">
          {open === 0
            ? 'All results are known.'
            : `${countedNoun(open, ['result is', 'results are'])} not known yet. Do not repeat it.`}{' '}
          <button type="button" class="quiet" onClick={() => setShown(true)}>
            Check the results
          </button>
        </p>
      )}
      {question && (
        <Question
          kind={question}
          holds={chosen}
          onYes={() => void begin(question)}
          onClose={() => setQuestion(null)}
        />
      )}
      {run.batch.value && isShown && <Results run={run} onClose={closeResults} />}
    </>
  );
}

type BarProps = {
  readonly chosen: readonly Payment[];
  readonly onChoose: (kind: BatchKind) => void;
};

const Bar = ({ chosen, onChoose }: BarProps) => (
  <section class="chosen-bar" aria-label="Chosen holds">
    <span role="status">{countedNoun(chosen.length, ['hold', 'holds'])} chosen</span>
    <button type="button" class="second main" onClick={() => onChoose('capture')}>
      Capture
    </button>
    <button type="button" class="second" onClick={() => onChoose('cancel')}>
      Release
    </button>
  </section>
);

type QuestionProps = {
  readonly kind: BatchKind;
  readonly holds: readonly Payment[];
  readonly onYes: () => void;
  readonly onClose: () => void;
};

function Question({ kind, holds, onYes, onClose }: QuestionProps) {
  const title = titleOf(kind, holds.length);
  const isCapture = kind === 'capture';
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <p>
            {isCapture
              ? 'The whole amount of each hold is taken from its card:'
              : 'These become free again on their cards, and can never be taken by these payments:'}
          </p>
          <ul class="plain">
            {sumsOf(holds).map((sum) => (
              <li key={sum}>{sum}</li>
            ))}
          </ul>
          <p class="fine">Each is asked for by itself, and you see what came of it.</p>
          <div class="form-ways">
            <button type="button" class={isCapture ? 'pay' : 'second danger'} onClick={onYes}>
              {title}
            </button>
            <button type="button" class="second" onClick={close}>
              Cancel
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

const words: Readonly<Record<BatchRow['state'], Words>> = {
  waiting: { text: 'Not sent', tone: 'plain' },
  open: { text: 'Not known yet', tone: 'soon' },
  done: { text: 'Done', tone: 'good' },
  refused: { text: 'Refused', tone: 'bad' },
  elsewhere: { text: 'See the payment', tone: 'plain' },
};

type ResultsProps = { readonly run: HoldBatch; readonly onClose: () => void };

function Results({ run, onClose }: ResultsProps) {
  const { clientId } = useMerchant();
  const { kind, rows } = run.batch.value ?? { kind: 'capture' as const, rows: [] };
  const [ended, waiting] = [run.rowsIn('done', 'refused', 'elsewhere'), run.rowsIn('waiting')];
  const isOpen = run.rowsIn('open').length > 0;
  const isBusy = run.isBusy.value;
  const failure = run.failure.value;
  return (
    <Dialog title={titleOf(kind, rows.length)} onClose={onClose}>
      {(close) => (
        <>
          <p role="status">
            {ended.length} of {rows.length} answered.
          </p>
          {failure && <Trouble failure={failure} title="The rest was not sent" />}
          {isOpen && !isBusy && (
            <p class="hold-line">
              <strong>
                Not known yet. Do not {kind === 'capture' ? 'capture' : 'release'} again.
              </strong>{' '}
              This page repeats the same requests until it gets their answers. Each takes effect
              only once.
            </p>
          )}
          <ul class="rows" aria-label="Results">
            {rows.map((row) => (
              <li key={row.id} class="row">
                <div class="row-head">
                  <a class="row-name" href={addressOf(clientId, 'payments', row.id)}>
                    {money(row.amount, row.currency)} {row.buyer ? `of ${row.buyer}` : ''}
                  </a>
                  <Tag words={words[row.state]} />
                </div>
                {row.text && <p class="fine">{row.text}</p>}
              </li>
            ))}
          </ul>
          <div class="form-ways">
            {waiting.length > 0 && !isBusy && (
              <Busy kind="second main" onClick={() => void run.sendWaiting()}>
                {titleOf(kind, waiting.length)}
              </Busy>
            )}
            {isOpen && !isBusy && (
              <Busy kind="second main" onClick={() => void run.askAgain()}>
                Ask again now
              </Busy>
            )}
            <button type="button" class="second" onClick={close}>
              {isBusy && waiting.length > 0 ? 'Stop after this one' : 'Close'}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
