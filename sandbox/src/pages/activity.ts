// What the sandbox's own page shows of the present: keys, the clock with its buttons, the latest payments with
// what may happen to them, the latest calls and events.
import type { Core } from '../core/core.ts';
import { escapeHtml } from './page.ts';

const mostRows = 10;

const buttonFor = (path: string, name: string, body: object = {}): string =>
  `<button data-path="${escapeHtml(path)}" data-body="${escapeHtml(JSON.stringify(body))}">${name}</button>`;

const table = (names: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="wide"><table><thead><tr>${names.map((name) => `<th>${name}</th>`).join('')}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody></table></div>`;

const code = (text: unknown): string => `<code>${escapeHtml(String(text))}</code>`;

const timeOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

const showKeys = (core: Core): string => {
  const rows = core.store.all('select * from accounts order by rowid limit 5');
  const shown = rows.map((row) => {
    const keys = [row.secret_key, row.publishable_key, row.id].map(String).join('\n');
    return `<p>Account <strong>${escapeHtml(String(row.name))}</strong></p><pre>${escapeHtml(keys)}</pre>`;
  });
  return rows.length === 0
    ? '<p>No account yet: <code>POST /_control/accounts</code> opens one.</p>'
    : shown.join('\n');
};

const day = 86_400;
const steps = [
  ['an hour', 3600],
  ['a day', day],
  ['8 days: holds run out', 8 * day],
  ['a month', 31 * day],
] as const;

const showClock = (core: Core): string => {
  const buttons = steps.map(([name, seconds]) =>
    buttonFor('/clock/advance', `Forward ${name}`, { seconds }),
  );
  return `<p>It reads ${code(timeOf(core.clock.now()))} UTC.</p><p class="row">${buttons.join(' ')}</p>`;
};

/** What a bank, a person in the dashboard or time may do to a payment in this state. */
const movesOf = (id: string, status: string): string => {
  if (status === 'requires_capture') {
    const [expire, capture] = [`/holds/${id}/expire`, `/intents/${id}/capture`];
    return `${buttonFor(expire, 'Let it run out')} ${buttonFor(capture, 'Capture')}`;
  }
  if (status !== 'succeeded') return '';
  const refund = buttonFor(`/intents/${id}/refund`, 'Refund');
  return `${refund} ${buttonFor('/disputes', 'Dispute', { intent: id })}`;
};

const rowsOf = (core: Core, kind: string): { id: string; body: Record<string, unknown> }[] =>
  core.store
    .all('select id, body from resources where kind = ? order by seq desc limit ?', kind, mostRows)
    .map((row) => ({ id: String(row.id), body: JSON.parse(String(row.body)) }));

const showPayments = (core: Core): string => {
  const rows = rowsOf(core, 'payment_intent').map(({ id, body }) => [
    `${escapeHtml(String(body.amount))} ${escapeHtml(String(body.currency))}`,
    escapeHtml(String(body.status).replaceAll('_', ' ')),
    `<span class="row">${movesOf(id, String(body.status))}</span>`,
    code(id),
  ]);
  if (rows.length === 0) return '<p>None yet.</p>';
  return table(['Amount', 'Status', 'What may happen', 'Payment intent'], rows);
};

const showCalls = (core: Core): string => {
  core.ledger.flush();
  const rows = core.store
    .all('select * from requests order by seq desc limit ?', mostRows)
    .map((row) => [
      escapeHtml(timeOf(Number(row.at) / 1000).slice(11)),
      escapeHtml(String(row.status ?? 'none')),
      code(`${row.method} ${row.path}`),
      escapeHtml(String(row.fault ?? '')),
    ]);
  return rows.length === 0 ? '<p>None yet.</p>' : table(['At', 'Status', 'Call', 'Fault'], rows);
};

const showEvents = (core: Core): string => {
  const rows = rowsOf(core, 'event').map(({ id, body }) => {
    const pending = core.webhooks.countPending(id);
    return [code(body.type), code(id), pending === 0 ? 'none' : `${pending} waiting`];
  });
  return rows.length === 0 ? '<p>None yet.</p>' : table(['Event', 'Id', 'Deliveries'], rows);
};

/** A button calls its control and shows the page anew, or the refusal beside the heading. */
const script = `
for (const button of document.querySelectorAll('button[data-path]')) {
  button.addEventListener('click', async () => {
    button.disabled = true;
    const answer = await fetch('/_control' + button.dataset.path, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: button.dataset.body });
    if (answer.ok) return location.reload();
    const said = await answer.json();
    const text = typeof said.error === 'string' ? said.error : said.error.message;
    document.getElementById('said').textContent = text;
    button.disabled = false;
  });
}`;

/** The sections before the reference of the page at `/`. */
export const activity = (core: Core): string => `<p id="said" role="status"></p>
<h2>Keys</h2>${showKeys(core)}
<h2>Clock</h2>${showClock(core)}
<h2>Latest payments</h2><p>Amounts in the least unit of the currency.</p>${showPayments(core)}
<h2>Latest calls</h2>${showCalls(core)}
<h2>Latest events</h2>${showEvents(core)}
<script>${script}</script>`;
