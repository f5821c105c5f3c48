// A merchant's page as merchants build it: a bundled inline script with the library's card frame.
// There are three designs of one checkout, which differ in what the page has when it is opened.

import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { rolldown } from 'rolldown';

/**
 * `one-shot`: session, then form. `shell`: unclaimed session, then the form while the session is
 * claimed. `eager`: the form at once, by the address that an earlier session of the merchant had;
 * its mount token follows.
 */
export const designs = ['one-shot', 'shell', 'eager'] as const;
export type Design = (typeof designs)[number];

/** The page's settings. `apiUrl` is empty when the shop's own origin forwards to the service. */
export type PagePlan = {
  readonly design: Design;
  readonly apiUrl: string;
  readonly form: { readonly formUrl: string; readonly formOrigin: string };
  readonly shell: object;
  readonly cart: object;
};

const entry = 'shop-page-script';

const script = `
import { mountCardFrame } from ${JSON.stringify(join(root, 'libraries/browser/src/card-frame/card-frame.ts'))};
const marks = (globalThis.marks = {});
const mark = (name) => { marks[name] ??= performance.now(); };
const plan = JSON.parse(document.getElementById('plan').textContent);
const call = async (method, path, body, headers) => {
  const answer = await fetch(plan.apiUrl + '/v1/checkouts/sessions' + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(method + ' ' + answer.status + ' ' + (await answer.text()));
  return answer.json();
};
const mount = (form) => (globalThis.frame = mountCardFrame(document.getElementById('card'), {
  ...form,
  onReady: () => mark('interactive'),
  onLoadError: (reason) => { marks.trouble = reason; },
}));
const { currency, products, accountData } = plan.cart;
const claim = (session) => call('PATCH', '/' + session.id + '/claim',
  { currency, products, accountData }, { 'x-checkout-session-token': session.nonce });
const designs = {
  'one-shot': async () => {
    const session = await call('POST', '', plan.cart);
    mark('attached');
    mount(session.vault);
  },
  shell: async () => {
    const session = await call('POST', '', plan.shell);
    mount(session.vault);
    await claim(session);
    mark('attached');
  },
  eager: async () => {
    const frame = mount({ ...plan.form, mountToken: '' });
    const session = await call('POST', '', plan.shell);
    frame.setMountToken(session.vault.mountToken);
    await claim(session);
    mark('attached');
  },
};
designs[plan.design]().catch((error) => { marks.trouble = String(error); });
`;

/** Bundles the script once, minified as in a merchant's build. */
export async function bundleScript(): Promise<string> {
  const build = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? script : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  return output[0].code;
}

/**
 * Returns the smallest page with a form in a frame with its own process, like the card form: the
 * time that Chromium itself needs here.
 */
export const barePage = (formOrigin: string): string => `<!doctype html><body><script>
globalThis.marks = {};
addEventListener('message', () => { marks.interactive = marks.attached = performance.now(); });
</script><iframe src="${formOrigin}/bare-form"></iframe>`;
export const bareForm = `<!doctype html><body><input id="number"><script>
document.getElementById('number').focus();
parent.postMessage('ready', '*');
</script>`;

const inline = (text: string) => text.replaceAll('</', '<\\/');

export const shopPage = (code: string, plan: PagePlan): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title></head>
<body><main><h1>Checkout</h1><div id="card"></div></main>
<script type="application/json" id="plan">${inline(JSON.stringify(plan))}</script>
<script>${inline(code)}</script></body></html>`;
