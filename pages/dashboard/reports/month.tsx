// A month as the accountant sees it: what was booked, what it adds up to, its ledger, and its end.

import type { Reconciliation } from '@svc/contract/reports/reconciliations';
import type { MonthFigures, MonthReport } from '@svc/contract/reports/reports';
import { msOf } from '@svc/contract/values/instants';
import { dayIn } from '@svc/contract/values/zone-days';
import { useState } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { money, signedMoney } from '../../kit/money.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { useAction } from '../../kit/parts/form.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { Bones, NotAllowed, Trouble } from '../../kit/parts/states.tsx';
import { type Style, StyleField } from '../../kit/parts/style-field.tsx';
import { readOnFailure, useResource } from '../../kit/read.ts';
import { goTo, place, query } from '../../kit/router.ts';
import { saveFile } from '../../kit/save-file.ts';
import { countedNoun, type Words } from '../../kit/words.ts';
import { Figure } from './figure.tsx';
import { daysOf, linesOf } from './report-figures.ts';

const monthPattern = /^20\d\d-(0[1-9]|1[0-2])$/;

/** The month of the address; else the one that it is. */
function useMonth(): string {
  const { zone } = useMerchant();
  const asked = new URLSearchParams(query.value).get('month') ?? '';
  return monthPattern.test(asked) ? asked : dayIn(serviceTime(), zone).slice(0, 7);
}

export function Month() {
  const { name, zone } = useMerchant();
  const month = useMonth();
  const { content, isCurrent, failure, again } = useResource('GET /v1/reports/months/{month}', {
    month,
  });
  const compared = useResource('GET /v1/reconciliations', { limit: 1 });
  // Both at once: what comes later would push the figures down while they are read.
  const isShown = isCurrent && (compared.content ?? compared.failure) !== null;
  const choose = (value: string) => {
    if (monthPattern.test(value)) goTo(`${place.value}?month=${value}`, { staysPut: true });
  };
  return (
    <Block title={monthName(month)}>
      <p class="only-paper">{name}</p>
      <div class="month-head">
        <label class="field">
          <span>Month</span>
          <input
            type="month"
            value={month}
            pattern="20[0-9]{2}-[0-9]{2}"
            // Firefox has no picker of months: the field is a text there, which counts once it names a month.
            onInput={({ currentTarget }) => choose(currentTarget.value)}
          />
        </label>
        {content && isCurrent && <Tag words={stateWords(content)} />}
        <button type="button" class="second" onClick={() => print()}>
          Print
        </button>
      </div>
      <p class="fine">
        Days of {content?.timeZone ?? zone}, by the provider’s booking day. The provider pays out
        later: from when it may, the ledger tells for each movement (available_at_utc).
      </p>
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!failure && !isShown && <Bones lines={5} />}
      {isShown && <ReconciliationState last={compared.content?.data[0]} />}
      {content && isShown && <MonthText key={content.month} report={content} onChanged={again} />}
    </Block>
  );
}

function MonthText({ report, onChanged }: { report: MonthReport; onChanged: () => Promise<void> }) {
  return (
    <>
      {report.currencies.length === 0 && <p>No booking in this month.</p>}
      <div class="by-currency">
        {report.currencies.map((figures) => (
          <Currency key={figures.currency} report={report} figures={figures} />
        ))}
      </div>
      {report.notBooked.map(({ currency, payments, amount }) => (
        <p key={currency}>
          Not yet booked by the provider: {countedNoun(payments, ['payment', 'payments'])},{' '}
          {money(amount, currency)}. The figures above do not include it.
        </p>
      ))}
      <div class="by-currency month-ends">
        <Ledger report={report} />
        <Closing report={report} onChanged={onChanged} />
      </div>
    </>
  );
}

function Currency({ report, figures }: { report: MonthReport; figures: MonthFigures }) {
  const { currency, late } = figures;
  const days = daysOf(report.beginsAt, report.endsAt, report.timeZone);
  const lines = Object.entries(linesOf(figures)).filter(
    ([, { isRare, amount }]) => !isRare || amount !== 0,
  );
  return (
    <section aria-label={`${report.month} in ${currency}`}>
      <h3>{currency}</h3>
      <dl class="month-sums">
        {lines.map(([key, { name, amount, query: filters }]) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd>
              <Figure amount={amount} currency={currency} days={days} query={filters} />
            </dd>
          </div>
        ))}
        <div class="sum">
          <dt>Net</dt>
          <dd>{signedMoney(figures.net, currency)}</dd>
        </div>
      </dl>
      {late && (
        <p class="fine">
          Of this, {signedMoney(late.net, currency)} belongs to months that were closed before it
          was booked; the ledger names them.
        </p>
      )}
      {figures.withoutFee > 0 && (
        <p class="fine">
          The provider gave no fee for {figures.withoutFee} of these movements: their fees are
          missing from Fees.
        </p>
      )}
    </section>
  );
}

/** Whether the figures can be relied on: what the last comparison with the provider found. */
function ReconciliationState({ last }: { last: Reconciliation | undefined }) {
  const { clientId } = useMerchant();
  if (!last) return null;
  return (
    <>
      <p class="fine">
        Compared with the provider, <InstantText at={last.endedAt} />:{' '}
        {countedNoun(last.open, ['difference', 'differences'])}
        {last.isWhole ? '.' : '; not everything was compared.'}
      </p>
      {last.open > 0 && (
        <ul class="fine">
          {last.differences
            .filter(({ isSettled }) => !isSettled)
            .map(({ paymentId, kind, description }) => (
              <li key={`${paymentId} ${kind}`}>
                <a href={addressOf(clientId, 'payments', paymentId)}>{description}</a>
              </li>
            ))}
        </ul>
      )}
    </>
  );
}

function Ledger({ report }: { report: MonthReport }) {
  const { clientId } = useMerchant();
  const [style, setStyle] = useState<Style>('spreadsheet');
  const [news, tell] = useNews(async () => undefined);
  const save = useAction(async () => {
    const path = `/v1/reports/months/${report.month}/ledger?style=${style}`;
    await tell(`Made ${await saveFile(path, clientId, () => undefined)}.`);
  });
  return (
    <section class="month-ledger" aria-label="Ledger">
      <h3>Ledger</h3>
      <p class="fine">
        One line for each movement of money. Outgoing money and chargebacks are negative. The sums
        equal the figures above.
      </p>
      <div class="form-ways">
        <StyleField label="Style of the ledger" value={style} onChange={setStyle} />
        <button type="button" class="second" disabled={save.isBusy} onClick={() => void save.run()}>
          Save the ledger
        </button>
      </div>
      <News text={news} />
      {save.failure && <Trouble failure={save.failure} title="The ledger was not saved" />}
    </section>
  );
}

const monthNames = new Intl.DateTimeFormat('en', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** `November 2026` for `2026-11`. */
export const monthName = (month: string) => monthNames.format(msOf(`${month}-01T00:00Z`));

const stateWords = ({ closing, isOver }: MonthReport): Words => {
  if (closing) return { text: 'Closed', tone: 'good' };
  return isOver ? { text: 'Over, not closed', tone: 'soon' } : { text: 'Running', tone: 'plain' };
};

type ClosingProps = { readonly report: MonthReport; readonly onChanged: () => Promise<void> };

function Closing({ report, onChanged }: ClosingProps) {
  const merchant = useMerchant();
  const [news, tell] = useNews(onChanged);
  const { closing, month } = report;
  const close = async () => {
    const { clientId } = merchant;
    await readOnFailure(onChanged, () =>
      call('POST /v1/reports/months/{month}/close', { month }, { clientId }),
    );
    await tell(`${monthName(month)} is closed.`);
  };
  return (
    <section aria-label="Closing">
      <h3>Close the month</h3>
      <News text={news} />
      {closing ? (
        <p>
          Closed by {closing.closedBy ?? 'a program'}, <InstantText at={closing.closedAt} />:{' '}
          {countedNoun(closing.lines, ['line', 'lines'])}. SHA-256 of the ledger in the style
          Program: <code class="long">{closing.sha256}</code>
        </p>
      ) : (
        <CloseButton report={report} close={close} />
      )}
    </section>
  );
}

const closedWords =
  'Figures and ledger then stay as they are. What is booked into this month later counts in the next one.';

type CloseProps = { readonly report: MonthReport; readonly close: () => Promise<void> };

function CloseButton({ report: { month, isOver }, close }: CloseProps) {
  const isAllowed = mayDo(useMerchant(), 'months.close');
  return (
    <>
      <p class="ways">
        <ActionButton
          kind="second main"
          question={{
            title: `Close ${monthName(month)} for good?`,
            yes: 'Close it',
            no: 'Keep it open',
            text: (
              <>
                <p>{closedWords}</p>
                <p>A closed month cannot be reopened.</p>
              </>
            ),
          }}
          failed="The month was not closed"
          whyNot={isAllowed && isOver ? null : 'why-not-close'}
          onAction={close}
        >
          Close the month
        </ActionButton>
      </p>
      {isAllowed ? (
        <p class="fine" id="why-not-close">
          {isOver ? closedWords : 'You can close a month when it is over.'}
        </p>
      ) : (
        <NotAllowed id="why-not-close" action="close a month" permission="months.close" />
      )}
    </>
  );
}
