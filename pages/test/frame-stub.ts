// A minimal page that exchanges the card form's messages, for tests of the pages that embed it. Its query
// sets its behaviour: `silent`, `loaderror=<reason>`, `fail=<code>` (once), `expired` (until it receives a
// new mount token), `incomplete`, `express=<methods>` (the express buttons in a frame of their own; `none` for
// a browser without wallets; their press gives a token, or with `refuses=<code>` an error).

// As high as the card form with these fields: 164 px.
const style = `
body { margin: 0; font: 16px/1.4 "Open Sans", sans-serif; color: var(--text) }
label { display: block; margin: 0 0 4px; font-size: 14px; line-height: 20px; font-weight: 600 }
input { width: 100%; box-sizing: border-box; height: 46px; margin-bottom: 12px; padding: 0 12px;
  font: inherit; color: inherit; background: var(--background);
  border: 1px solid var(--border); border-radius: var(--radius) }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 12px }`;

const script = `
const query = new URLSearchParams(location.search), number = document.getElementById('number');
let port, expired = query.has('expired'), failure = query.get('fail'), made = 0;
const send = (message) => port.postMessage(message);
const field = (name) => document.getElementById(name);
function paint(options) {
  const root = document.documentElement.style;
  const variables = options.appearance?.variables ?? {};
  for (const name of Object.keys(variables)) root.setProperty('--' + name, variables[name]);
}
function submit(id) {
  const error = (code, retryable) => send({ type: 'error', id, code, message: code, retryable });
  if (expired) return error('session_expired', true);
  if (failure) { error(failure, failure === 'unavailable'); failure = null; return; }
  if (!number.value) { field('number').focus(); return error('number_incomplete', false); }
  made += 1;
  send({ type: 'token', id, token: 'svct_' + made, brand: 'visa', lastFour: number.value.slice(-4) });
}
function showExpress() {
  const methods = query.get('express').split(',').filter((name) => name !== 'none');
  document.body.replaceChildren(...methods.map((name) => {
    const button = document.createElement('button');
    button.textContent = name;
    button.style.cssText = 'display: block; width: 100%; height: 48px; margin: 0 0 8px';
    button.onclick = () => send(query.has('refuses')
      ? { type: 'expressError', code: query.get('refuses'), message: 'no' }
      : { type: 'expressToken', token: 'svct_express' });
    return button;
  }));
  send({ type: 'express', methods });
  send({ type: 'height', px: methods.length * 56 });
}
function receive({ data }) {
  if (data.type === 'mount' && data.express) showExpress();
  if (data.type === 'mount') {
    paint(data.options);
    document.documentElement.lang = data.options.locale;
    if (query.has('loaderror')) return send({ type: 'loaderror', reason: query.get('loaderror') });
    if (query.has('silent')) return;
    send({ type: 'height', px: document.body.scrollHeight });
    send({ type: 'ready', ...(query.has('express') ? { hasExpress: true } : {}) });
  }
  if (data.type === 'update') paint(data.options);
  if (data.type === 'mountToken') expired = false;
  if (data.type === 'disable') for (const i of document.querySelectorAll('input')) i.disabled = data.disabled;
  if (data.type === 'submit') submit(data.id);
}
addEventListener('message', (event) => {
  if (event.source !== parent || event.data.svc !== 'mount' || port) return;
  port = event.ports[0];
  port.onmessage = receive;
});
addEventListener('keydown', ({ key }) => { if (key === 'Enter') send({ type: 'enter' }); });`;

export const framePage = `<!doctype html><html><head><title>Card form</title><style>${style}</style></head><body>
<label for="number">Card number</label><input id="number" inputmode="numeric">
<div class="two"><div><label for="expiry">Expiry date</label><input id="expiry" placeholder="MM / YY"></div>
<div><label for="cvc">Security code</label><input id="cvc"></div></div>
<script>${script}</script></body></html>`;
