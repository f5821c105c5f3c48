import { type Html, html } from './html.ts';
import { badge } from './layout.ts';
import { isHeld, type Order, stateOf, type Trouble } from './orders.ts';
import { facts, lineTable } from './thanks-page.ts';

/** The merchant's desk: every order with its state, and what can be done with a hold. */
export function ordersPage(orders: readonly Order[], isFresh: boolean): Html {
  const stale = html`<p class="alert" role="alert">The payments service does not answer for every order; some states may be old.</p>`;
  const empty = html`<p class="panel">No orders yet. <a href="/">Buy something</a> and it appears here.</p>`;
  return html`
<div class="title-row"><h1>Orders</h1><a class="button plain small" href="/orders">Look again</a></div>
<p class="quiet">The merchant’s side. In a real shop this stands behind a sign-in.</p>
${isFresh ? null : stale}
${orders.length === 0 ? empty : html`<ul class="orders">${orders.slice(0, 100).map(orderCard)}</ul>`}`;
}

function orderCard(order: Order): Html {
  const state = stateOf(order);
  return html`<li class="panel order" id="o-${order.id}">
  <div class="title-row">
    <h2><a href="/thanks?order=${order.id}">${order.id.slice(0, 8).toUpperCase()}</a></h2>
    ${badge(state)}
  </div>
  <p>${state.text}</p>
  ${order.trouble ? troubleBox(order.trouble) : null}
  ${lineTable(order)}
  ${facts(order)}
  ${isHeld(order) ? actions(order) : null}
</li>`;
}

function actions(order: Order): Html {
  const number = html`<span class="unseen"> order ${order.id.slice(0, 8).toUpperCase()}</span>`;
  return html`<div class="actions">
    <form method="post" action="/orders/${order.id}/capture"><button class="button">Capture${number}</button></form>
    <form method="post" action="/orders/${order.id}/cancel"><button class="button plain">Cancel${number}</button></form>
  </div>`;
}

const advice: Readonly<Record<string, string>> = {
  payment_not_authorized: 'The hold is gone; the state above was read again.',
  authorization_expired: 'The hold ran out. Nothing was collected.',
  payment_operation_in_progress: 'Another operation is running. Try again in a moment.',
  gateway_capture_failed: 'Nothing was collected. The same button asks again with the same key.',
  gateway_cancel_failed: 'The hold still stands. The same button asks again with the same key.',
  gateway_outcome_unknown:
    'The outcome is not known yet. The same button asks again with the same key.',
  ConnectionFailed:
    'Whether it arrived is not known. The same button asks again with the same key.',
  Timeout: 'Whether it arrived is not known. The same button asks again with the same key.',
};

function troubleBox(trouble: Trouble): Html {
  const name = trouble.operation === 'capture' ? 'Capture' : 'Cancel';
  return html`<div class="alert" role="alert">
    <p><strong>${name} failed: <code>${trouble.code}</code></strong></p>
    <p>${trouble.message} ${Object.hasOwn(advice, trouble.code) ? advice[trouble.code] : null}</p>
    ${trouble.requestId ? html`<p class="quiet">Request <code>${trouble.requestId}</code></p>` : null}
  </div>`;
}
