// Every page of this bundle by its address.

import type { Params, Route } from '../account/router.ts';
import { CouponPage, CouponsPage } from './catalog/coupons.tsx';
import { ProductPage, ProductsPage } from './catalog/products.tsx';
import { CustomerPage } from './customer.tsx';
import { CardsPage, CustomersPage } from './customers.tsx';
import { DisputePage, DisputesPage } from './disputes.tsx';
import { ExportsPage } from './exports.tsx';
import { HoldsPage } from './holds.tsx';
import { HomePage } from './home.tsx';
import { PaymentPage } from './payment.tsx';
import { ReceiptPage } from './payment-receipt.tsx';
import { PaymentsPage } from './payments.tsx';
import { ReportsPage } from './reports.tsx';
import { EndpointPage, EventPage, FirstOf, SectionPage } from './section-page.tsx';
import { type SectionName, sectionAddress, sections } from './sections.ts';
import { SessionPage, SessionsPage } from './sessions.tsx';
import { SubscriptionPage, SubscriptionsPage } from './subscriptions.tsx';

const at = (path: string, view: Route['view']): Route => ({
  path: `/dashboard/:clientId${path}`,
  asks: 'person',
  view,
});

/** The service's ids are in lower case. */
const idOf = ({ id = '' }: Params) => id.toLowerCase();

/** Codes are as the merchant wrote them. */
function codeOf({ code = '' }: Params): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}

export const routes: readonly Route[] = [
  at('', () => <HomePage />),
  at('/payments', () => <PaymentsPage />),
  at('/payments/:id', (params) => <PaymentPage id={idOf(params)} />),
  at('/payments/:id/receipt', (params) => <ReceiptPage id={idOf(params)} />),
  at('/holds', () => <HoldsPage />),
  at('/disputes', () => <DisputesPage />),
  at('/disputes/:id', (params) => <DisputePage id={idOf(params)} />),
  at('/customers', () => <CustomersPage />),
  at('/customers/:id', (params) => <CustomerPage id={idOf(params)} />),
  at('/cards', () => <CardsPage />),
  at('/sessions', () => <SessionsPage />),
  at('/sessions/:id', (params) => <SessionPage id={idOf(params)} />),
  at('/products', () => <ProductsPage />),
  at('/products/:code', (params) => <ProductPage code={codeOf(params)} />),
  at('/coupons', () => <CouponsPage />),
  at('/coupons/:code', (params) => <CouponPage code={codeOf(params)} />),
  at('/reports', () => <ReportsPage />),
  at('/exports', () => <ExportsPage />),
  at('/subscriptions', () => <SubscriptionsPage />),
  at('/subscriptions/:id', (params) => <SubscriptionPage id={idOf(params)} />),
  at('/developers', () => <FirstOf group="developers" />),
  at('/settings', () => <FirstOf group="settings" />),
  ...(Object.keys(sections) as SectionName[]).map((name) => ({
    path: sectionAddress(':clientId', name),
    asks: 'person' as const,
    view: () => <SectionPage name={name} />,
  })),
  at('/developers/webhooks/:id', (params) => <EndpointPage id={idOf(params)} />),
  at('/developers/events/:id', (params) => <EventPage id={idOf(params)} />),
];
