// The customer's own page, served by our server at /m; the API is on the same origin.

import type { OpenedCustomerPage } from '@svc/contract/customers/customer-page';
import { render } from 'preact';
import { replaceTexts } from '../checkout/replaced-texts.ts';
import { takeLink } from './arrival.ts';
import { Customer } from './customer.ts';
import { type CustomerLanguage, customerLanguageFor } from './language.ts';
import { CustomerPage } from './page.tsx';

const speechOf = (page: OpenedCustomerPage | null) => `${page?.language} ${page?.timeZone}`;

async function open(): Promise<void> {
  const customer = new Customer(location.origin, takeLink());
  // A page restored by the back button shows a state that may be outdated.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  // Opening another link in the same tab changes only the fragment, also while the texts are on their way.
  addEventListener('hashchange', () => {
    if (location.hash) location.reload();
  });

  // Started first: the cards load while the texts are fetched and the page is drawn.
  void customer.load();
  let spoken = speechOf(customer.page.value);
  const language = await customerLanguageFor(customer.page.value);

  const root = document.getElementById('customer');
  if (!root) return;
  root.replaceChildren();
  replaceTexts();
  const draw = (given: CustomerLanguage) => {
    document.documentElement.lang = given.code;
    document.documentElement.dir = given.direction;
    render(<CustomerPage customer={customer} language={given} />, root);
  };
  draw(language);
  // The customer's own language and the merchant's zone are known once the page is open; the language changes on it.
  customer.page.subscribe((page) => {
    const wanted = speechOf(page);
    if (wanted === spoken) return;
    spoken = wanted;
    void customerLanguageFor(page).then((next) => {
      if (spoken === wanted) draw(next);
    });
  });
}

void open();
