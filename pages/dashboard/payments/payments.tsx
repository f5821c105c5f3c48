// The page of all payments.

import { addressOf } from '../../kit/addresses.ts';
import { List } from '../../kit/list/list-page.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { Title } from '../../kit/parts/title.tsx';
import { paymentsSpec } from './payments-list.tsx';

export function PaymentsPage() {
  const { clientId } = useMerchant();
  return (
    <>
      <div class="title-line">
        <Title>Payments</Title>
        <p class="fine">
          Looking for unfinished checkouts?{' '}
          <a href={addressOf(clientId, 'sessions')}>Checkout sessions</a>.
        </p>
      </div>
      <List spec={paymentsSpec} />
    </>
  );
}
