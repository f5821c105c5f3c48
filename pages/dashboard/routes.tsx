// Every page of this bundle by its address.

import type { VNode } from 'preact';
import type { Params, Route } from '../account/router.ts';
import { CouponPage, CouponsPage } from './catalog/coupons.tsx';
import { ProductPage, ProductsPage } from './catalog/products.tsx';
import { CustomerPage } from './customer.tsx';
import { CardsPage, CustomersPage } from './customers.tsx';
import { DisputePage, DisputesPage } from './disputes.tsx';
import { ExportsPage } from './exports.tsx';
import { HoldsPage } from './holds.tsx';
import { HomePage } from './home.tsx';
import { isUuid } from './list-address.ts';
import { NoSuchPage } from './no-such-page.tsx';
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
