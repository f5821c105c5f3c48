// Refunds of a payment that wait for a second person, and those that nobody approved.

import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useMerchant } from '../../kit/merchant.ts';
import { endWords, InstantText, Tag } from '../../kit/parts/bits.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { person } from '../../kit/person.ts';
import { useResource } from '../../kit/read.ts';
import { buyerOf, requestWords } from '../../kit/words.ts';
import type { FullPayment } from './full-payment.ts';
import { type ActionIdentity, readStoredAction } from './money-action.ts';
import { MoneyButtons, MoneyDialog, useMoneyAction } from './money-dialog.tsx';
import { reasonNames } from './refund-fields.tsx';
import {
  type DecisionKind,
  dialogTexts,
  isOwnRequest,
  mayDecide,
  nameOf,
  outcomeSentence,
  sumOf,
} from './request-words.ts';

type Open = { readonly request: RefundRequest; readonly kind: DecisionKind };

const kinds: readonly DecisionKind[] = ['approve', 'decline'];

const identifyAction = (
  { clientId, paymentId, id }: RefundRequest,
  kind: DecisionKind,
): ActionIdentity<DecisionKind> => ({
  clientId,
  personId: person.value?.id ?? '',
  paymentId,
  kind,
  requestId: id,
});

/** An action that was begun in this tab before a reload or a new sign-in. */
const findBegunAct = (requests: readonly RefundRequest[]): Open | null =>
  requests
    .flatMap((request) => kinds.map((kind) => ({ request, kind })))
    .find(({ request, kind }) => readStoredAction(identifyAction(request, kind)) !== null) ?? null;

type RequestsProps = {
  readonly whole: FullPayment;
  readonly again: () => Promise<void>;
  readonly onNews: (text: string) => void;
};

export function RefundRequests({ whole, again, onNews }: RequestsProps) {
  const { requests, payment, details } = whole;
  const [open, setOpen] = useState<Open | null>(() => findBegunAct(requests));
  const waiting = requests.filter(({ status }) => status === 'waiting');
  const refused = requests.filter(({ status }) => /^(declined|expired)$/.test(status));
  return (
    <>
      {waiting.length > 0 && <Waiting requests={waiting} onChoose={setOpen} />}
      {refused.length > 0 && (
        <Block title="Refunds not approved">
          <ul class="rows">
            {refused.map((request) => (
              <Row key={request.id} request={request} />
            ))}
          </ul>
        </Block>
      )}
      {open && (
        <DecideDialog
          {...open}
          buyer={buyerOf({ email: payment.email, customerName: details.customerName })}
          onDone={(text) => {
            setOpen(null);
            onNews(text);
          }}
          onRefused={() => void again()}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

type WaitingProps = {
  readonly requests: readonly RefundRequest[];
  readonly onChoose: (open: Open) => void;
};

function Waiting({ requests, onChoose }: WaitingProps) {
  const merchant = useMerchant();
  const { content: rule } = useResource('GET /v1/refund-rule', {});
  return (
    <Block title="Refund to approve">
      <ul class="rows">
        {requests.map((request) => (
          <Row key={request.id} request={request}>
            {mayDecide(request, merchant, rule) ? (
              <p class="ways">
                <button
                  type="button"
                  class="second main"
                  onClick={() => onChoose({ request, kind: 'approve' })}
                >
                  Approve {sumOf(request)}
                </button>
                <button
                  type="button"
                  class="second"
                  onClick={() => onChoose({ request, kind: 'decline' })}
                >
                  Decline
                </button>
              </p>
            ) : (
              <Asked
                request={request}
                approvers={rule?.approvers ?? []}
                onTakeBack={() => onChoose({ request, kind: 'decline' })}
              />
            )}
          </Row>
        ))}
      </ul>
    </Block>
  );
}

type AskedProps = {
  readonly request: RefundRequest;
  readonly approvers: readonly string[];
  readonly onTakeBack: () => void;
};

/** For who cannot approve it: who can, and the way back for who asked. */
const Asked = ({ request, approvers, onTakeBack }: AskedProps) => (
  <>
    {isOwnRequest(request) && approvers.length > 0 && (
      <p class="fine">Who may approve it: {approvers.join(', ')}.</p>
    )}
    {isOwnRequest(request) && (
      <p class="ways">
        <button type="button" class="second" onClick={onTakeBack}>
          Take it back
        </button>
      </p>
    )}
  </>
);

type RowProps = { readonly request: RefundRequest; readonly children?: ComponentChildren };

function Row({ request, children }: RowProps) {
  const { zone } = useMerchant();
  const { status, reason, note, requestedBy, decidedBy, decidedAt, expiresAt } = request;
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{sumOf(request)}</span>
        <Tag words={requestWords[status]} />
      </div>
      <p class="fine">
        Asked for by {nameOf(requestedBy)}
        {reason && ` · ${reasonNames[reason]}`}
        {status === 'waiting' && ` · until ${endWords(expiresAt, zone)}`}
        {decidedBy && ` · by ${nameOf(decidedBy)}`}
        {decidedAt && (
          <>
            {' '}
            · <InstantText at={decidedAt} />
          </>
        )}
      </p>
      {note && <p class="lines">{note}</p>}
      {children}
    </li>
  );
}

type DecideProps = Open & {
  readonly buyer: string | null;
  readonly onDone: (text: string) => void;
  readonly onRefused: () => void;
  readonly onClose: () => void;
};

function DecideDialog({ request, kind, buyer, onDone, onRefused, onClose }: DecideProps) {
  const action = identifyAction(request, kind);
  const run = useMoneyAction(action, {
    onDone: (decided) => onDone(outcomeSentence(decided, buyer)),
    onRefused,
  });
  const { title, verb, text } = dialogTexts(request, kind, buyer);
  return (
    <MoneyDialog title={title} action={action} run={run} verb={verb} onClose={onClose}>
      {(close) => (
        <>
          <p>{text}</p>
          <MoneyButtons title={title} run={run} isDanger={kind !== 'approve'} close={close} />
        </>
      )}
    </MoneyDialog>
  );
}
