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
import { EndpointPage, EventPage, FirstPartOfGroup, SectionPage } from './section-page.tsx';
import { type SectionName, sectionAddress, sections } from './sections.ts';
import { SessionPage, SessionsPage } from './sessions.tsx';
import { SubscriptionPage, SubscriptionsPage } from './subscriptions.tsx';

const routeAt = (path: string, view: Route['view']): Route => ({
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
  routeAt('', () => <HomePage />),
  routeAt('/payments', () => <PaymentsPage />),
  routeAt('/payments/:id', (params) => <PaymentPage id={idOf(params)} />),
  routeAt('/payments/:id/receipt', (params) => <ReceiptPage id={idOf(params)} />),
  routeAt('/holds', () => <HoldsPage />),
  routeAt('/disputes', () => <DisputesPage />),
  routeAt('/disputes/:id', (params) => <DisputePage id={idOf(params)} />),
  routeAt('/customers', () => <CustomersPage />),
  routeAt('/customers/:id', (params) => <CustomerPage id={idOf(params)} />),
  routeAt('/cards', () => <CardsPage />),
  routeAt('/sessions', () => <SessionsPage />),
  routeAt('/sessions/:id', (params) => <SessionPage id={idOf(params)} />),
  routeAt('/products', () => <ProductsPage />),
  routeAt('/products/:code', (params) => <ProductPage code={codeOf(params)} />),
  routeAt('/coupons', () => <CouponsPage />),
  routeAt('/coupons/:code', (params) => <CouponPage code={codeOf(params)} />),
  routeAt('/reports', () => <ReportsPage />),
  routeAt('/exports', () => <ExportsPage />),
  routeAt('/subscriptions', () => <SubscriptionsPage />),
  routeAt('/subscriptions/:id', (params) => <SubscriptionPage id={idOf(params)} />),
  routeAt('/developers', () => <FirstPartOfGroup group="developers" />),
  routeAt('/settings', () => <FirstPartOfGroup group="settings" />),
  ...(Object.keys(sections) as SectionName[]).map((name) => ({
    path: sectionAddress(':clientId', name),
    asks: 'person' as const,
    view: () => <SectionPage name={name} />,
  })),
  routeAt('/developers/webhooks/:id', (params) => <EndpointPage id={idOf(params)} />),
  routeAt('/developers/events/:id', (params) => <EventPage id={idOf(params)} />),
];
