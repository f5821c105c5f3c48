// A card is saved without a charge, listed, and removed. On the hosted checkout page of a session for
// the same buyer it is offered by itself.
import { apiUrl, buyer, library, page, serve, svc } from './merchant.ts';

const script = `
import { CardSetup } from '/svc/index.js';
const { sessionId, nonce, baseUrl } = globalThis.given;
const setup = new CardSetup({
  baseUrl, sessionId, nonce,
  onSuccess: () => location.assign('/cards'),
  onDecline: ({ message }) => { out.textContent = message; },
  onError: ({ code }) => { out.textContent = code; },
}).mount('#card');
document.querySelector('#save').onclick = () => setup.submit();`;

serve({
  'GET /': async () => {
    // Who never bought is made a customer first: POST /v1/customers with your own user id.
    const { id: sessionId, nonce } = await svc.setupSessions.create({ userId: buyer.userId });
    const given = JSON.stringify({ sessionId, nonce, baseUrl: apiUrl });
    return page(`<div id="card"></div><button id="save">Save card</button><output id="out"></output>
      <script>globalThis.given = ${given}</script><script type="module">${script}</script>`);
  },
  'GET /cards': async () => {
    const cards: string[] = [];
    const active = { userUuid: buyer.userId, status: { eq: 'active' as const } };
    for await (const { id, brand, lastFour } of svc.paymentMethods.list(active)) {
      cards.push(`<li>${brand} ${lastFour} <button name="id" value="${id}">Remove</button></li>`);
    }
    return page(`<form method="post" action="/remove"><ul>${cards.join('')}</ul></form>`);
  },
  'POST /remove': async (request) => {
    await svc.paymentMethods.delete(String((await request.formData()).get('id')));
    return Response.redirect(new URL('/cards', request.url), 303);
  },
  'GET /svc/*': library,
});
