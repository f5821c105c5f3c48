// The hosted checkout page, served by our server at /c/{id}; the API is on the same origin.

import { render } from 'preact';
import { Page } from './page.tsx';
import { replaceTexts } from './replaced-texts.ts';
import { arrive, notifyParent } from './state/arrival.ts';
import { Checkout } from './state/checkout.ts';
import { languageFor } from './texts/index.ts';

async function open(): Promise<void> {
  const arrival = arrive();
  const isKnown = typeof arrival === 'object';
  const checkout = isKnown ? new Checkout(location.origin, arrival) : null;
  // Started first: the session loads while the texts are fetched and the page is drawn.
  void checkout?.load();
  const language = await languageFor(navigator.languages);
  document.documentElement.lang = language.code;
  document.documentElement.dir = language.direction;

  // A page restored by the back button shows a state that may be outdated.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });

  // Following the shop's link again in the same tab changes only the fragment.
  addEventListener('hashchange', () => {
    if (location.hash) location.reload();
  });

  const root = document.getElementById('checkout');
  if (!root) return;
  root.replaceChildren();
  replaceTexts();
  const missing = isKnown ? 'notFound' : arrival;
  render(<Page checkout={checkout} missing={missing} language={language} />, root);
}

if (!notifyParent()) void open();
