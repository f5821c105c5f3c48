// The shop front. The cart lives in the address: no cookie, no script, and a link keeps it.

import { type Html, html } from './html.ts';
import { type Currency, currencies, showMoney } from './money.ts';
import { picture } from './pictures.ts';
import type { Ware } from './shop.ts';

export type Cart = {
  readonly currency: Currency;
  readonly captureMethod: 'automatic' | 'manual';
  readonly quantities: ReadonlyMap<string, number>;
};

const mostOfOne = 99;

/** Reads a cart from a query or a form; what is not understood is left out. */
export function parseCart(fields: URLSearchParams): Cart {
  const quantities = new Map<string, number>();
  for (const [name, value] of fields) {
    if (!name.startsWith('qty-') || !/^\d{1,4}$/.test(value) || quantities.size >= 50) continue;
    const quantity = Math.min(Number(value), mostOfOne);
    if (quantity > 0) quantities.set(name.slice(4), quantity);
  }
  return {
    currency: currencies.find((one) => one === fields.get('currency')) ?? 'EUR',
    captureMethod: fields.get('captureMethod') === 'manual' ? 'manual' : 'automatic',
    quantities,
  };
}

/** The address of the shop front with this cart. */
export function cartPath(cart: Cart): string {
  const query = new URLSearchParams();
  for (const [code, quantity] of cart.quantities) query.set(`qty-${code}`, String(quantity));
  if (cart.currency !== 'EUR') query.set('currency', cart.currency);
  if (cart.captureMethod === 'manual') query.set('captureMethod', 'manual');
  return query.size > 0 ? `/?${query}` : '/';
}

function withQuantity(cart: Cart, code: string, quantity: number): Cart {
  const quantities = new Map(cart.quantities);
  if (quantity > 0) quantities.set(code, Math.min(quantity, mostOfOne));
  else quantities.delete(code);
  return { ...cart, quantities };
}

export function frontPage(parts: {
  wares: readonly Ware[];
  cart: Cart;
  orderId: string;
  buyerEmail: string;
  problem?: string | undefined;
}): Html {
  const { wares, cart } = parts;
  return html`
<div class="shop">
  <section class="offer" aria-labelledby="wares">
    <div class="title-row">
      <h1 id="wares">Good things for slow mornings</h1>
      <p class="switch" role="group" aria-label="Currency">${currencies.map((currency) => {
        const current = currency === cart.currency && html` aria-current="true"`;
        return html`<a href="${cartPath({ ...cart, currency })}"${current}>${currency}</a>`;
      })}</p>
    </div>
    <ul class="wares">${wares.map((ware) => wareCard(ware, cart))}</ul>
    ${wares.length === 0 ? html`<p class="panel">Nothing is on sale in ${cart.currency}.</p>` : null}
  </section>
  ${cartPanel(parts)}
  ${testCards}
</div>`;
}

function wareCard(ware: Ware, cart: Cart): Html {
  const inCart = cart.quantities.get(ware.code) ?? 0;
  const more = cartPath(withQuantity(cart, ware.code, inCart + 1));
  return html`<li class="ware">
  <div class="frame">${picture(ware.code)}</div>
  <h2>${ware.name}</h2>
  <p class="price">${showMoney(ware.cents, cart.currency)}</p>
  <a class="button plain" href="${more}#cart">Add to cart<span class="unseen"> ${ware.name}</span></a>
</li>`;
}

function cartPanel(parts: Parameters<typeof frontPage>[0]): Html {
  const { wares, cart, problem } = parts;
  const chosen = wares.filter(({ code }) => cart.quantities.has(code));
  const total = chosen.reduce(
    (sum, { code, cents }) => sum + cents * (cart.quantities.get(code) ?? 0),
    0,
  );
  const count = chosen.reduce((sum, { code }) => sum + (cart.quantities.get(code) ?? 0), 0);
  const trouble = problem ? html`<p class="alert" role="alert">${problem}</p>` : null;
  const title = html`<h2 id="cart-title">Your cart${count > 0 ? html` <span class="count">${count}</span>` : null}</h2>`;
  if (chosen.length === 0) {
    return html`<aside class="cart panel" id="cart" aria-labelledby="cart-title">${title}${trouble}
  <p class="quiet">Nothing here yet. Add a mug and see a payment go all the way.</p></aside>`;
  }
  return html`<aside class="cart panel" id="cart" aria-labelledby="cart-title">
  ${title}${trouble}
  <form method="post" action="/buy">
    <input type="hidden" name="order" value="${parts.orderId}">
    <input type="hidden" name="currency" value="${cart.currency}">
    <ul class="lines">${chosen.map((ware) => cartLine(ware, cart))}</ul>
    <p class="total"><span>Total</span><strong>${showMoney(total, cart.currency)}</strong></p>
    <button class="button plain small" formmethod="get" formaction="/">Update quantities</button>
    <fieldset>
      <legend>When to take the money</legend>
      ${choice(cart, 'automatic', 'Pay now', 'Collected at once.')}
      ${choice(cart, 'manual', 'Hold now, capture when shipped', 'Reserved on the card; the shop captures or cancels later.')}
    </fieldset>
    <button class="button buy">Go to checkout</button>
    <p class="quiet">Buying as ${parts.buyerEmail}. Card data is entered on the checkout page; this shop never sees it.</p>
  </form>
</aside>`;
}

function cartLine(ware: Ware, cart: Cart): Html {
  const quantity = cart.quantities.get(ware.code) ?? 0;
  const field = `qty-${ware.code}`;
  return html`<li>
  <label for="${field}">${ware.name}</label>
  <input id="${field}" name="${field}" type="number" inputmode="numeric" min="0" max="${mostOfOne}" value="${quantity}">
  <span class="sum">${showMoney(ware.cents * quantity, cart.currency)}</span>
  <a class="remove" href="${cartPath(withQuantity(cart, ware.code, 0))}#cart">Remove<span class="unseen"> ${ware.name}</span></a>
</li>`;
}

function choice(cart: Cart, value: Cart['captureMethod'], name: string, text: string): Html {
  const checked = cart.captureMethod === value && html` checked`;
  return html`<label class="choice"><input type="radio" name="captureMethod" value="${value}"${checked}>
  <span><strong>${name}</strong><small>${text}</small></span></label>`;
}

const testCards = html`<section class="panel cards" aria-labelledby="cards-title">
  <h2 id="cards-title">Test cards</h2>
  <dl>
    <div><dt>4242 4242 4242 4242</dt><dd>is approved</dd></div>
    <div><dt>5555 5555 5555 4444</dt><dd>is approved, another brand</dd></div>
    <div><dt>4000 0000 0000 0002</dt><dd>is declined</dd></div>
    <div><dt>4000 0000 0000 9995</dt><dd>has insufficient funds</dd></div>
  </dl>
  <p class="quiet">Any future expiry date and any security code.</p>
  <form method="post" action="/cards"><button class="button plain small">Your saved cards</button></form>
</section>`;
