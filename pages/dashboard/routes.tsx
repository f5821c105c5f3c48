// Every page of this bundle by its address.

import type { VNode } from 'preact';
import { isUuid } from '../kit/list/list-address.ts';
import type { Params, Route } from '../kit/router.ts';
import { CouponPage, CouponsPage } from './catalog/coupons.tsx';
import { ProductPage, ProductsPage } from './catalog/products.tsx';
import { CustomerPage } from './customers/customer.tsx';
import { CardsPage, CustomersPage } from './customers/customers.tsx';
import { ExportsPage } from './exports/exports.tsx';
import { type SectionName, sectionAddress, sections } from './frame/sections.ts';
import { HomePage } from './home/home.tsx';
import { NoSuchPage } from './no-such-page.tsx';
import { DisputePage, DisputesPage } from './payments/disputes.tsx';
import { HoldsPage } from './payments/holds.tsx';
import { PaymentPage } from './payments/payment.tsx';
import { ReceiptPage } from './payments/payment-receipt.tsx';
import { PaymentsPage } from './payments/payments.tsx';
import { SessionPage, SessionsPage } from './payments/sessions.tsx';
import { ReportsPage } from './reports/reports.tsx';
import { EndpointPage, EventPage, FirstPartOfGroup, SectionPage } from './section-page.tsx';
import { SubscriptionPage, SubscriptionsPage } from './subscriptions/subscriptions.tsx';

const routeAt = (path: string, view: Route['view']): Route => ({
  path: `/dashboard/:clientId${path}`,
  asks: 'person',
  view,
});

/** The page of one thing by its id. Text that is no id is not sent to the service. */
const routeById = (path: string, view: (id: string) => VNode): Route =>
  routeAt(path, ({ id = '' }) => {
    // The service's ids are in lower case.
    const wanted = id.toLowerCase();
    return isUuid(wanted) ? view(wanted) : <NoSuchPage />;
  });

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
  routeById('/payments/:id', (id) => <PaymentPage id={id} />),
  routeById('/payments/:id/receipt', (id) => <ReceiptPage id={id} />),
  routeAt('/holds', () => <HoldsPage />),
  routeAt('/disputes', () => <DisputesPage />),
  routeById('/disputes/:id', (id) => <DisputePage id={id} />),
  routeAt('/customers', () => <CustomersPage />),
  routeById('/customers/:id', (id) => <CustomerPage id={id} />),
  routeAt('/cards', () => <CardsPage />),
  routeAt('/sessions', () => <SessionsPage />),
  routeById('/sessions/:id', (id) => <SessionPage id={id} />),
  routeAt('/products', () => <ProductsPage />),
  routeAt('/products/:code', (params) => <ProductPage code={codeOf(params)} />),
  routeAt('/coupons', () => <CouponsPage />),
  routeAt('/coupons/:code', (params) => <CouponPage code={codeOf(params)} />),
  routeAt('/reports', () => <ReportsPage />),
  routeAt('/exports', () => <ExportsPage />),
  routeAt('/subscriptions', () => <SubscriptionsPage />),
  routeById('/subscriptions/:id', (id) => <SubscriptionPage id={id} />),
  routeAt('/developers', () => <FirstPartOfGroup group="developers" />),
  routeAt('/settings', () => <FirstPartOfGroup group="settings" />),
  ...(Object.keys(sections) as SectionName[]).map((name) => ({
    path: sectionAddress(':clientId', name),
    asks: 'person' as const,
    view: () => <SectionPage name={name} />,
  })),
  routeById('/developers/webhooks/:id', (id) => <EndpointPage id={id} />),
  // Ids of events are no UUIDs.
  routeAt('/developers/events/:id', ({ id = '' }) => <EventPage id={id.toLowerCase()} />),
];
