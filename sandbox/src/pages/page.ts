// The sandbox's two kinds of page: the description of the sandbox and its controls, and the bank's 3DS
// challenge.

import type { FastifyReply } from 'fastify';
import { testCards } from '../cards/test-cards.ts';
import type { Mode } from '../core/core.ts';
import { callFaults, webhookFaults } from '../state/faults.ts';
import type { BankLanguage } from './bank-words.ts';

export const escapeHtml = (text: string): string =>
  text.replaceAll(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[sign] ?? '',
  );

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #0b57d0; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); padding: 0.75rem; border-radius: 6px; overflow-x: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
td:first-child { white-space: nowrap; } td:last-child { overflow-wrap: anywhere; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0; }
td button { padding: 0.2rem 0.75rem; white-space: nowrap; }
#said:empty { display: none; } #said { border-inline-start: 4px solid var(--accent); padding-inline-start: 0.75rem; }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
button { font: inherit; padding: 0.6rem 1.25rem; border-radius: 6px; border: 1px solid var(--line);
  background: transparent; color: inherit; min-height: 44px; cursor: pointer; }
button.main { background: var(--accent); border-color: var(--accent); color: #fff; }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** Returns a whole page with the sandbox's layout. */
export const document = (title: string, body: string, code = 'en'): string => `<!doctype html>
<html lang="${code}" dir="${code === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title>
<style>${style}</style></head><body><main>${body}</main></body></html>
`;

const spacedNumber = (number: string): string =>
  number.startsWith('3') && number.length === 15
    ? number.replace(/^(\d{4})(\d{6})(\d{5})$/, '$1 $2 $3')
    : number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');

const cardRows = (): string =>
  testCards
    .map(
      ({ number, effect, ids }) =>
        `<tr><td><code>${spacedNumber(number)}</code></td><td>${escapeHtml(effect)}</td>` +
        `<td><code>pm_card_${ids[0] ?? ''}</code></td></tr>`,
    )
    .join('\n');

const faultRows = (faults: Readonly<Record<string, string>>): string =>
  Object.entries(faults)
    .map(([name, effect]) => `<tr><td><code>${name}</code></td><td>${escapeHtml(effect)}</td></tr>`)
    .join('\n');

const controls = (
  url: string,
): string => `# an account with its keys; the same name gives the same account
curl -d '{"name":"demo"}' -H 'content-type: application/json' ${url}/_control/accounts

# the clock: read it, move it by eight days (holds run out, webhooks are retried)
curl ${url}/_control/clock
curl -d '{"seconds":691200}' -H 'content-type: application/json' ${url}/_control/clock/advance

# the next capture takes effect, but its answer never comes
curl -d '{"match":{"method":"POST","path":"/v1/payment_intents/*/capture"},"action":"timeout_after_commit"}' \\
  -H 'content-type: application/json' ${url}/_control/faults
curl ${url}/_control/faults
curl -X DELETE ${url}/_control/faults

# out of band: let a hold run out, capture or cancel as a person in the dashboard would
curl -X POST ${url}/_control/holds/pi_…/expire
curl -X POST ${url}/_control/intents/pi_…/capture
curl -X POST ${url}/_control/intents/pi_…/cancel

# long after it succeeded, the bank takes a capture back: the charge becomes failed
curl -X POST ${url}/_control/intents/pi_…/take_back

# refunds: one that the bank sends back, one that is pending and arrives
curl -X POST ${url}/_control/refunds/re_…/fail
curl -X POST ${url}/_control/refunds/re_…/succeed

# disputes: over all or a part; an inquiry moves no money
curl -d '{"intent":"pi_…","amount":500,"reason":"product_not_received"}' \\
  -H 'content-type: application/json' ${url}/_control/disputes
curl -d '{"charge":"ch_…","status":"warning_needs_response"}' \\
  -H 'content-type: application/json' ${url}/_control/disputes
curl -d '{"text":"It was delivered."}' -H 'content-type: application/json' \\
  ${url}/_control/disputes/dp_…/evidence
curl -d '{"outcome":"won"}' -H 'content-type: application/json' \\
  ${url}/_control/disputes/dp_…/close

# their money apart from their lifecycle: open or close with "movesFunds":false, then
curl -X POST ${url}/_control/disputes/dp_…/withdraw
curl -X POST ${url}/_control/disputes/dp_…/reinstate

# a Checkout Session: pay it as somebody at its page would
curl -d '{"payment_method":"pm_card_visa"}' -H 'content-type: application/json' \\
  ${url}/_control/checkout_sessions/cs_…/pay

# webhooks in any order: hold them, look, release them one after the other
curl -d '{"action":"hold_webhooks"}' -H 'content-type: application/json' ${url}/_control/faults
curl ${url}/_control/webhooks
curl -d '{"order":"shuffle","duplicates":2,"seed":"7"}' -H 'content-type: application/json' \\
  ${url}/_control/webhooks/release
curl -d '{"events":["evt_…","evt_…"]}' -H 'content-type: application/json' \\
  ${url}/_control/webhooks/release

# a wallet payment: approve it as its payer would, or let it be captured or voided out of band
curl -d '{"behaviour":"pends"}' -H 'content-type: application/json' \\
  ${url}/_control/wallet/orders/…/approve
curl -X POST ${url}/_control/wallet/orders/…/capture
curl -X POST ${url}/_control/wallet/orders/…/void

# its money: a pending capture completes or is denied, a refund arrives or fails, all is taken back
curl -X POST ${url}/_control/wallet/captures/…/complete
curl -X POST ${url}/_control/wallet/captures/…/deny
curl -X POST ${url}/_control/wallet/captures/…/refund
curl -X POST ${url}/_control/wallet/captures/…/reverse
curl -X POST ${url}/_control/wallet/refunds/…/succeed
curl -X POST ${url}/_control/wallet/refunds/…/fail

# its notices: what waits, and the release of what hold_webhooks keeps back
curl ${url}/_control/wallet/webhooks
curl -X POST ${url}/_control/wallet/webhooks/release

# forget an idempotency key before its 24 hours are over
curl -d '{"key":"…"}' -H 'content-type: application/json' ${url}/_control/keys/forget

# every movement of money, and every call received, as the provider saw them
curl '${url}/_control/ledger?intent=pi_…'
curl '${url}/_control/requests?intent=pi_…'

# forget payments, ledger, keys and faults; accounts and their webhook endpoints stay
curl -X POST ${url}/_control/reset`;

/** The page at `/`. */
export const frontPage = (facts: { url: string; mode: Mode; activity: string }): string =>
  document(
    'Sandbox card provider',
    `<h1>Sandbox card provider</h1>
<p>It speaks Stripe's wire protocol, so the official <code>stripe</code> library works against it
unchanged. It is offline and moves no real money. Mode: <strong>${facts.mode}</strong>.</p>
<pre>new Stripe(secretKey, { host: '127.0.0.1', port: ${Number(new URL(facts.url).port)}, protocol: 'http' })</pre>
<p>It also speaks PayPal's: orders, captures, refunds, the vault and webhooks, below the same address,
with the app that <code>POST /_control/accounts</code> tells under <code>wallet</code>. The payer's page
offers what a payment may meet.</p>
${facts.activity}
<h2>Test cards</h2>
<p>Any future expiry, any CVC. Every other valid number is approved. Where the real provider has a
smallest amount, the sandbox takes any from 1.</p>
<div class="wide"><table><thead><tr><th>Number</th><th>Effect</th><th>As a payment method</th></tr></thead>
<tbody>${cardRows()}</tbody></table></div>
<h2>Controls</h2>
<pre>${escapeHtml(controls(facts.url))}</pre>
<h2>Faults</h2>
<p>A fault fires <code>count</code> times (once by default) on calls that match <code>method</code>,
<code>path</code>, <code>object</code> and <code>account</code>, or on events that match
<code>event</code>, <code>object</code> and <code>account</code>. A path is a prefix; with
<code>*</code> or a closing <code>$</code> it is the whole path. Faults are kept in memory: a restart
forgets them. The library repeats a call once, with the same key, when its connection is closed:
plant <code>drop_reply</code> twice to be seen.</p>
<div class="wide"><table><thead><tr><th>Of a call</th><th>Effect</th></tr></thead>
<tbody>${faultRows(callFaults)}</tbody></table></div>
<div class="wide"><table><thead><tr><th>Of a webhook</th><th>Effect</th></tr></thead>
<tbody>${faultRows(webhookFaults)}</tbody></table></div>
<h2>Evidence that decides</h2>
<p>Submitted as a dispute's <code>uncategorized_text</code>: <code>winning_evidence</code>,
<code>losing_evidence</code>, and <code>escalate_inquiry_evidence</code> for an inquiry.</p>`,
  );

/** The bank's challenge for an intent that requires an action. */
export const challengePage = (
  { id, amount }: { id: string; amount: string | undefined },
  { code, words }: BankLanguage,
): string => {
  const title = amount ? words.payment(amount) : words.card;
  return document(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p>${words.about}</p>
<form method="post" action="/3ds/${escapeHtml(id)}">
<button class="main" name="outcome" value="approve">${words.approve}</button>
<button name="outcome" value="fail">${words.fail}</button>
<button name="outcome" value="cancel">${words.cancel}</button>
<button name="outcome" value="time_out">${words.timeOut}</button>
</form>`,
    code,
  );
};

/** The page for an intent that waits for no answer. */
export const answeredPage = ({ code, words }: BankLanguage): string =>
  document(words.answered, `<h1>${words.answered}</h1><p>${words.answeredText}</p>`, code);

/** The page for a challenge without an address to return to, or without anything to answer. */
export const notePage = (title: string, text: string): string =>
  document(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`);

/** Sends a page that browsers do not cache. */
export const showPage = (reply: FastifyReply, status: number, html: string) =>
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(html);
