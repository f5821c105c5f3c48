// The customer's own page, served by our server at /m; the API is on the same origin.

import { render } from 'preact';
import { replaceTexts } from '../checkout/replaced-texts.ts';
import { takeLink } from './arrival.ts';
import { Customer } from './customer.ts';
import { customerLanguageFor } from './language.ts';
import { CustomerPage } from './page.tsx';

async function open(): Promise<void> {
  const customer = new Customer(location.origin, takeLink());
  // Started first: the cards load while the texts are fetched and the page is drawn.
  void customer.load();
  const language = await customerLanguageFor(navigator.languages);
  document.documentElement.lang = language.code;
  document.documentElement.dir = language.direction;

  // A page restored by the back button shows a state that may be outdated.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  // Opening another link in the same tab changes only the fragment.
  addEventListener('hashchange', () => {
    if (location.hash) location.reload();
  });

  const root = document.getElementById('customer');
  if (!root) return;
  root.replaceChildren();
  replaceTexts();
  render(<CustomerPage customer={customer} language={language} />, root);
}

void open();
