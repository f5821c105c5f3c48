import { type Html, html } from './html.ts';
import { badge, moment } from './layout.ts';
import type { Delivery } from './store.ts';

/** What arrived at POST /webhooks, newest first. */
export function webhooksPage(deliveries: readonly Delivery[]): Html {
  const empty = html`<p class="panel">No delivery yet. A finished checkout sends the first.</p>`;
  return html`
<div class="title-row"><h1>Webhooks received</h1><a class="button plain small" href="/webhooks">Look again</a></div>
<p class="quiet">Deliveries to <code>POST /webhooks</code>, each checked against the endpoint’s secret with
<code>constructEvent</code>. For scripts: <a href="/webhooks.json">/webhooks.json</a></p>
${deliveries.length === 0 ? empty : html`<ol class="deliveries">${deliveries.map(card)}</ol>`}`;
}

function card(delivery: Delivery): Html {
  return html`<li class="panel">
  <div class="title-row">
    <h2>${delivery.type ?? 'Not an event'}</h2>
    ${badge(markOf(delivery))}
  </div>
  <p>${delivery.refusal ?? delivery.effect}</p>
  <dl class="facts">
    <div><dt>Received</dt><dd>${moment(delivery.receivedAt)}</dd></div>
    ${delivery.eventId ? html`<div><dt>Event</dt><dd><code>${delivery.eventId}</code></dd></div>` : null}
    ${delivery.paymentId ? html`<div><dt>Payment</dt><dd><code>${delivery.paymentId}</code></dd></div>` : null}
  </dl>
  <details><summary>Body as received</summary><pre tabindex="0"><code>${pretty(delivery.raw)}</code></pre></details>
</li>`;
}

function markOf(delivery: Delivery): Parameters<typeof badge>[0] {
  if (!delivery.isVerified) return { tone: 'bad', word: 'Not verified' };
  if (delivery.isDuplicate) return { tone: 'idle', word: 'Verified, duplicate' };
  return { tone: 'good', word: 'Verified' };
}

/** Indented where it is JSON; otherwise as it came. */
function pretty(raw: string): string {
  try {
    return JSON.stringify(JSON.parse(raw), null, 2);
  } catch {
    return raw;
  }
}
