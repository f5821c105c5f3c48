// Every page of this bundle by its address.

import type { VNode } from 'preact';
import { addressOf, type Part, sectionNames, type TopPart, topParts } from '../kit/addresses.ts';
import { isUuid } from '../kit/list/filter-values.ts';
import type { Params, Route } from '../kit/router.ts';
import { CouponPage, CouponsPage } from './catalog/coupons.tsx';
import { ProductPage, ProductsPage } from './catalog/products.tsx';
import { CustomerPage } from './customers/customer.tsx';
import { CardsPage, CustomersPage } from './customers/customers.tsx';
import { ExportsPage } from './exports/exports.tsx';
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

const route = (path: string, view: Route['view']): Route => ({ path, asks: 'person', view });

const routeOf = (part: Part, view: Route['view']) => route(addressOf(':clientId', part), view);

const routeAt = (path: string, view: Route['view']) => route(`/dashboard/:clientId${path}`, view);

/** The page of one thing by its id. Text that is no id is not sent to the service. */
const routeById = (path: string, view: (id: string) => VNode): Route =>
  routeAt(path, ({ id = '' }) => {
    // The service's ids are in lower case.
    const wanted = id.toLowerCase();
    return isUuid(wanted) ? view(wanted) : <NoSuchPage />;
  });

/** Decodes a product or coupon code from the path; invalid percent-encoding is kept as it is. */
function codeOf({ code = '' }: Params): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}

const pages: Readonly<Record<TopPart, () => VNode>> = {
  home: () => <HomePage />,
  payments: () => <PaymentsPage />,
  sessions: () => <SessionsPage />,
  holds: () => <HoldsPage />,
  disputes: () => <DisputesPage />,
  customers: () => <CustomersPage />,
  cards: () => <CardsPage />,
  subscriptions: () => <SubscriptionsPage />,
  products: () => <ProductsPage />,
  coupons: () => <CouponsPage />,
  reports: () => <ReportsPage />,
  exports: () => <ExportsPage />,
  developers: () => <FirstPartOfGroup group="developers" />,
  settings: () => <FirstPartOfGroup group="settings" />,
};

export const routes: readonly Route[] = [
  ...topParts.map((part) => routeOf(part, pages[part])),
  ...sectionNames.map((name) => routeOf(name, () => <SectionPage name={name} />)),
  routeById('/payments/:id', (id) => <PaymentPage id={id} />),
  routeById('/payments/:id/receipt', (id) => <ReceiptPage id={id} />),
  routeById('/disputes/:id', (id) => <DisputePage id={id} />),
  routeById('/customers/:id', (id) => <CustomerPage id={id} />),
  routeById('/sessions/:id', (id) => <SessionPage id={id} />),
  routeAt('/products/:code', (params) => <ProductPage code={codeOf(params)} />),
  routeAt('/coupons/:code', (params) => <CouponPage code={codeOf(params)} />),
  routeById('/subscriptions/:id', (id) => <SubscriptionPage id={id} />),
  routeById('/developers/webhooks/:id', (id) => <EndpointPage id={id} />),
  // Ids of events are no UUIDs.
  routeAt('/developers/events/:id', ({ id = '' }) => <EventPage id={id.toLowerCase()} />),
];
