// The hosted checkout page, served by our server at /c/{id}; the API is on the same origin.

import { render } from 'preact';
import { arrive } from './arrival.ts';
import { Checkout } from './checkout.ts';
import { Page } from './page.tsx';
import { languageFor } from './texts/index.ts';

const arrival = arrive();
const language = languageFor(navigator.languages);
document.documentElement.lang = language.code;

const checkout = arrival && new Checkout(location.origin, arrival);
// Before the first render: the session is on its way while the page is drawn.
void checkout?.load();

// A page that comes back from the back button's cache shows a state that may be long gone.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

const root = document.getElementById('checkout');
if (root) {
  root.replaceChildren();
  render(<Page checkout={checkout} language={language} />, root);
}
