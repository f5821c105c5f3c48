// Card fields in the shop's own page: the form is a frame of the card origin, the page gets a token.
// Where the bank wants to see the buyer, the library shows it in a dialog over the page.
import { apiUrl, buyer as known, library, page, serve, svc } from './merchant.ts';

// Your own id of the buyer, a number of your table, say: sent as text, here and by the page.
const buyer = { userId: String(1001), email: known.email };

const script = `
import { confirmPayment, PaymentAPI } from '/svc/index.js';
import { mountCardFrame } from '/svc/card-frame.js';
const { id, nonce, buyer, apiUrl } = globalThis.given;
const api = new PaymentAPI(apiUrl);
api.rememberSession(id, nonce);
const { vault } = await api.getUnifiedCheckoutSession(id);
const form = mountCardFrame(document.querySelector('#card'), vault);
document.querySelector('#pay').onclick = async () => {
  try {
    const { token } = await form.submit();
    const tokenizedData = { provider: 'cardprovider', type: 'card', token };
    const end = await confirmPayment(api, buyer.userId, { sessionId: id, accountData: buyer, tokenizedData });
    out.textContent = end.message ?? end.type;
  } catch (error) { out.textContent = error.code; }
};`;

serve({
  'GET /': async () => {
    const products = [{ code: 'mug', quantity: 1 }];
    const session = await svc.checkout.sessions.create({
      currency: 'EUR',
      products,
      account: buyer,
    });
    if (!('sessionId' in session)) return page('Nothing was due: your order is complete.');
    const given = { id: session.sessionId, nonce: session.nonce, buyer, apiUrl };
    return page(`<div id="card"></div><button id="pay">Pay</button><output id="out"></output>
      <script>globalThis.given = ${JSON.stringify(given)}</script><script type="module">${script}</script>`);
  },
  'GET /svc/*': library,
});
