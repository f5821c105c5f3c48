// The dialogs that capture or release a hold, always all of it and once.

import type { Payment } from '@svc/contract/payments/payments';
import { msOf } from '@svc/contract/values/instants';
import { useMerchant } from '../../kit/merchant.ts';
import { endWords } from '../../kit/parts/bits.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import type { ActionIdentity } from './money-action.ts';
import { MoneyButtons, MoneyDialog, useMoneyAction } from './money-dialog.tsx';
import { holdTexts } from './payment-words.ts';

type HoldProps = {
  readonly payment: Payment;
  readonly action: ActionIdentity<'capture' | 'cancel'>;
  readonly onDone: (payment: Payment) => void;
  readonly onRefused: () => void;
  readonly onClose: () => void;
};

const hourMs = 3_600_000;

export function HoldDialog({ payment, action, onDone, onRefused, onClose }: HoldProps) {
  const { zone } = useMerchant();
  const run = useMoneyAction(action, { onDone, onRefused });
  const isCapture = action.kind === 'capture';
  const { title, verb, text } = holdTexts(payment, action.kind);
  const ends = payment.authorizationExpiresAt;
  const isClose = ends !== null && msOf(ends) - serviceTime() < hourMs;
  return (
    <MoneyDialog title={title} action={action} run={run} verb={verb} onClose={onClose}>
      {(close) => (
        <>
          <p>{text}</p>
          {ends && (
            <p class="fine">
              The hold ends {endWords(ends, zone)} ({zone}).
            </p>
          )}
          {isCapture && isClose && (
            <p class="hold-line">Less than an hour is left: the bank may refuse.</p>
          )}
          <MoneyButtons title={title} run={run} isDanger={!isCapture} close={close} />
        </>
      )}
    </MoneyDialog>
  );
}
