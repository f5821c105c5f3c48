// The page of all payments.

import { List } from './list-page.tsx';
import { paymentsSpec } from './payments-list.tsx';
import { Title } from './title.tsx';

export const PaymentsPage = () => (
  <>
    <Title>Payments</Title>
    <List spec={paymentsSpec} />
  </>
);
