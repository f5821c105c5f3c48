// The pages of CardSetup's test fixture: the merchant's, the card form's, the bank's.

const frameScript = `
const query = new URLSearchParams(location.search), field = (name) => document.getElementById(name);
let port, expired = query.has('expired'), made = 0;
const send = (message) => port.postMessage(message);
function submit(id) {
  document.body.dataset.submitted = id;
  if (query.has('mute')) return;
  const error = (code, retryable) => send({ type: 'error', id, code, message: code, retryable });
  if (expired) return error('session_expired', true);
  if (!field('number').value) { if (!query.has('unfocused')) field('number').focus(); return error('number_incomplete', false); }
  made += 1;
  send({ type: 'token', id, token: 'svct_' + made, brand: 'visa', lastFour: field('number').value.slice(-4) });
}
function receive({ data }) {
  if (data.type === 'mount') {
    document.documentElement.lang = data.options.locale ?? 'en';
    document.body.dataset.options = JSON.stringify(data.options);
    if (query.has('loaderror')) return send({ type: 'loaderror', reason: query.get('loaderror') });
    if (query.has('silent')) return;
    send({ type: 'height', px: document.body.scrollHeight });
    send({ type: 'ready' });
  }
  if (data.type === 'update') document.body.dataset.options = JSON.stringify(data.options);
  if (data.type === 'mountToken') expired = false;
  if (data.type === 'disable') field('number').disabled = data.disabled;
  if (data.type === 'focus') field(data.field).focus();
  if (data.type === 'clear') for (const input of document.querySelectorAll('input')) input.value = '';
  if (data.type === 'submit') submit(data.id);
}
addEventListener('message', (event) => {
  if (event.source !== parent || event.data.svc !== 'mount' || port) return;
  port = event.ports[0];
  port.onmessage = receive;
});
addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') send({ type: 'enter' });
  if (key === 'Escape') send({ type: 'escape' });
});
for (const input of document.querySelectorAll('input')) {
  input.addEventListener('focus', () => send({ type: 'focus', field: input.id }));
  input.addEventListener('blur', () => send({ type: 'blur', field: input.id }));
  input.addEventListener('input', () =>
    send({ type: 'change', complete: true, empty: !input.value, brand: 'visa', errors: [] }));
}`;

const frameStyle = `body { margin: 0; font: 16px/1.4 "Open Sans", sans-serif }
label { display: block; font-size: 14px; font-weight: 600 }
input { width: 100%; box-sizing: border-box; height: 44px; margin-bottom: 12px; font: inherit }`;

export const framePage = `<!doctype html><html><head><title>Card form</title>
<style>${frameStyle}</style></head><body>
<label for="number">Card number</label><input id="number" inputmode="numeric">
<label for="expiry">Expiry date</label><input id="expiry">
<label for="cvc">Security code</label><input id="cvc">
<script>${frameScript}</script></body></html>`;

export const bankPage = (home: string) => `<!doctype html><html lang="en"><head><title>Bank</title>
<style>body { font: 16px/1.5 "Open Sans", sans-serif; padding: 24px }</style></head>
<body><main><h1>Your bank</h1><p>Do you want to save this card?</p>
<a href="${home}?setup_intent=seti_1&redirect_status=succeeded">Approve</a>
<a href="/question?step=2">Next step</a></main></body></html>`;

const script = `
import { CardSetup, confirmPayment, mountExpressCheckout, PaymentAPI } from '/svc/index.js';
import { mountCardFrame } from '/svc/card-frame.js';
import { defineCardSetup } from '/svc/element.js';
const names = ['onReady', 'onChange', 'onFocus', 'onBlur', 'onEscape', 'onLoadError', 'onSuccess',
  'onDecline', 'onError', 'onCancel', 'onWarning'];
const plain = (value) => value instanceof Error ? { code: value.code, type: value.type,
  retryable: value.retryable } : value;
globalThis.heard = [];
globalThis.callbacks = Object.fromEntries(names.map((name) => [name, (...given) => {
  heard.push([name.slice(2).toLowerCase(), ...given.map(plain)]);
}]));
globalThis.make = (options) => new CardSetup({ ...callbacks, ...options });
globalThis.mount = (options) => { globalThis.setup = make(options).mount('#card'); };
globalThis.submit = (options) => {
  globalThis.result = setup.submit(options).then((end) => end.error ? { ...end, error: plain(end.error) } : end);
};
globalThis.pay = ({ baseUrl, sessionId, nonce }, body, options) => {
  const api = new PaymentAPI(baseUrl), stop = new AbortController();
  api.rememberSession(sessionId, nonce);
  Object.assign(globalThis, { api, stop });
  globalThis.result = confirmPayment(api, body.accountData.userId, body, { signal: stop.signal, ...options })
    .catch((cause) => ({ thrown: cause.code, retryable: cause.retryable }));
};
globalThis.showWith = (vault) => { globalThis.form = mountCardFrame(document.getElementById('card'), { ...vault, ...callbacks }); };
globalThis.show = (vault) => { globalThis.form = mountCardFrame(document.getElementById('card'), vault); };
globalThis.showExpress = (options) => {
  const names = ['onReady', 'onSuccess', 'onDecline', 'onCancel', 'onProcessing', 'onError', 'onLoadError'];
  const hear = (name) => [name, (...given) => heard.push([name, JSON.parse(JSON.stringify(given))])];
  const callbacks = Object.fromEntries(names.map(hear));
  globalThis.express = mountExpressCheckout(document.getElementById('card'), { ...options, ...callbacks });
};
globalThis.payCard = async (identity, accountData, options) => {
  const { token } = await form.submit();
  const tokenizedData = { provider: 'cardprovider', type: 'card', token };
  pay(identity, { sessionId: identity.sessionId, tokenizedData, accountData }, options);
};
document.getElementById('save').addEventListener('click', () => submit());
globalThis.svc = { CardSetup, PaymentAPI, defineCardSetup, mountCardFrame };`;

const style = `body { margin: 0; padding: 24px; font: 16px/1.5 "Open Sans", sans-serif; color: #1a1d26 }
main { max-width: 420px; margin: auto } #card { margin-bottom: 16px }
button { min-height: 44px; padding: 0 20px; font: inherit }
/* What must not reach the dialog. */
dialog, h2 { color: red; transform: rotate(3deg) }`;

export const shopPage = {
  script,
  style,
  html: `<!doctype html><html lang="en"><head><title>Shop</title><link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script></head><body><main><h1>Add a card</h1>
<div id="card"></div><button id="save" type="button">Save card</button><div id="other"></div></main>
</body></html>`,
};
