// The receipt of a payment: its page, and its mail to the buyer.

import { useEffect, useState } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { Dialog } from '../../kit/parts/dialog.tsx';
import { Field, Form } from '../../kit/parts/form.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useResource } from '../../kit/read.ts';
import type { FullPayment } from './full-payment.ts';

/** Statuses of payments whose money was collected or refunded. */
const hasReceipt = /^(succeeded|partially_refunded|refunded)$/;

type Props = { readonly whole: FullPayment; readonly onNews: (text: string) => void };

/** Opening the receipt for the first time gives it the merchant's next number. */
export function ReceiptActs({ whole: { payment }, onNews }: Props) {
  const merchant = useMerchant();
  const [isOpen, setOpen] = useState(false);
  if (!hasReceipt.test(payment.status)) return null;
  return (
    <>
      <a class="second" href={`${addressOf(merchant.clientId, 'payments', payment.id)}/receipt`}>
        Receipt
      </a>
      {mayDo(merchant, 'notes.write') && (
        <button type="button" class="second" onClick={() => setOpen(true)}>
          Mail the receipt
        </button>
      )}
      {isOpen && (
        <MailDialog
          paymentId={payment.id}
          email={payment.email}
          onSent={onNews}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

type MailProps = {
  readonly paymentId: string;
  readonly email: string | null;
  readonly onSent: (text: string) => void;
  readonly onClose: () => void;
};

function MailDialog({ paymentId, email, onSent, onClose }: MailProps) {
  const { clientId } = useMerchant();
  return (
    <Dialog title="Mail the receipt" onClose={onClose}>
      {(close) => (
        <Form
          submit="Mail the receipt"
          send={async (field) => {
            const to = field('to').trim();
            await call(
              'POST /v1/payments/{paymentId}/receipt/send',
              { paymentId, body: { to } },
              { clientId },
            );
            close();
            onSent(`The receipt is on its way to ${to}.`);
          }}
          after={
            <button type="button" class="second" onClick={close}>
              Cancel
            </button>
          }
        >
          <Field
            label="Address"
            name="to"
            type="email"
            value={email ?? ''}
            hint="The mail shows the receipt’s amounts and a link to read and print it. Another address than the buyer’s asks for your sign-in, and the buyer is told."
            hasFocus
          />
        </Form>
      )}
    </Dialog>
  );
}

/** Redirects to the receipt, which is one page for the merchant and the buyer. */
export function ReceiptPage({ id }: { id: string }) {
  const { clientId } = useMerchant();
  const { content, failure, again } = useResource('GET /v1/payments/{paymentId}/receipt', {
    paymentId: id,
  });
  useEffect(() => {
    if (content) location.replace(content.url);
  }, [content]);
  return (
    <>
      <p>
        <a class="back" href={addressOf(clientId, 'payments', id)}>
          ‹ Payment
        </a>
      </p>
      <Title title="Receipt">Receipt</Title>
      {failure ? <Trouble failure={failure} onRetry={again} /> : <Bones lines={3} />}
    </>
  );
}
