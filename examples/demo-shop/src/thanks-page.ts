import { type Html, html } from './html.ts';
import { badge, moment } from './layout.ts';
import { showMoney } from './money.ts';
import { canPay, type Order, type State } from './orders.ts';

const titles: Readonly<Record<State['tone'], string>> = {
  good: 'Thank you, it is paid',
  wait: 'Thank you, almost there',
  hold: 'Thank you, it is reserved',
  idle: 'Your order',
  bad: 'That did not work',
};

/** What the buyer sees after the hosted page: the order and only what is known of it. */
export function thanksPage(parts: {
  order: Order;
  state: State;
  isFresh: boolean;
  isFollowing: boolean;
}): Html {
  const { order, state } = parts;
  const following = parts.isFollowing
    ? html`<p class="quiet follow" role="status">This page looks again by itself.</p>`
    : state.isMoving
      ? html`<p><a class="button plain" href="/thanks?order=${order.id}">Look again</a></p>`
      : null;
  return html`
<section class="panel narrow">
  <h1>${titles[state.tone]}</h1>
  <p>${badge(state)}</p>
  <p class="lead">${state.text}</p>
  ${parts.isFresh ? null : html`<p class="alert" role="alert">The payments service does not answer; this is what it said last.</p>`}
  ${following}
  ${canPay(order) ? html`<p><a class="button" href="${order.checkoutUrl}" rel="noreferrer">Continue to payment</a></p>` : null}
  ${steps(order)}
  <h2>Order ${order.id.slice(0, 8).toUpperCase()}</h2>
  ${lineTable(order)}
  ${facts(order)}
  <p class="row"><a class="button plain" href="/">Back to the shop</a> <a href="/orders#o-${order.id}">See it among the orders</a></p>
</section>`;
}

/** The way of the order; a step is ticked when it is known, not when it is likely. */
function steps(order: Order): Html {
  const isHold = order.captureMethod === 'manual';
  const isPaid = order.paymentStatus === 'succeeded' || order.fulfilment !== null;
  const isHeld = isPaid || order.paymentStatus === 'authorized' || order.paymentStatus === 'voided';
  const all: [name: string, isDone: boolean][] = [
    ['Ordered', true],
    ...(isHold ? [['Card authorised', isHeld] as [string, boolean]] : []),
    [isHold ? 'Captured' : 'Paid', isPaid],
    ['item.purchased verified', order.fulfilment !== null],
  ];
  return html`<ol class="steps">${all.map(
    ([name, isDone]) =>
      html`<li class="${isDone ? 'done' : 'open'}">${name}<span class="unseen">${isDone ? ': done' : ': not yet'}</span></li>`,
  )}</ol>`;
}

export function lineTable(order: Order): Html {
  return html`<table class="order-lines">
  <thead class="unseen"><tr><th scope="col">Product</th><th scope="col">Amount</th></tr></thead>
  <tbody>${order.lines.map(
    (line) =>
      html`<tr><td>${line.quantity} × ${line.name}</td><td>${showMoney(line.totalCents, order.currency)}</td></tr>`,
  )}</tbody>
  <tfoot><tr><th scope="row">Total</th><td>${showMoney(order.totalCents, order.currency)}</td></tr></tfoot>
</table>`;
}

export function facts(order: Order): Html {
  const isHeld = order.paymentStatus === 'authorized' && order.holdEndsAt;
  return html`<dl class="facts">
  <div><dt>Ordered</dt><dd>${moment(order.createdAt)}</dd></div>
  ${order.paymentId ? html`<div><dt>Payment</dt><dd><code>${order.paymentId}</code></dd></div>` : null}
  ${order.paymentStatus ? html`<div><dt>Status</dt><dd><code>${order.paymentStatus}</code></dd></div>` : null}
  ${isHeld ? html`<div><dt>Hold ends</dt><dd>${moment(order.holdEndsAt ?? '')}</dd></div>` : null}
  ${order.fulfilment ? html`<div><dt>Event</dt><dd><code>${order.fulfilment.eventId}</code></dd></div>` : null}
</dl>`;
}
