// The page of all payments.

import { addressOf } from './addresses.ts';
import { List } from './list-page.tsx';
import { useMerchant } from './merchant.ts';
import { paymentsSpec } from './payments-list.tsx';
import { Title } from './title.tsx';

export function PaymentsPage() {
  const { clientId } = useMerchant();
  return (
    <>
      <Title>Payments</Title>
      <p class="fine">
        Nobody paid? Look where buyers stopped:{' '}
        <a href={addressOf(clientId, 'sessions')}>Checkout sessions</a>.
      </p>
      <List spec={paymentsSpec} />
    </>
  );
}
