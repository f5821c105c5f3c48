import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

/** Returns the bank's challenge for 7.00 EUR in a browser with these languages. */
async function showBankPage(language?: string): Promise<string> {
  const method = await bench.browser.paymentMethods.create({
    type: 'card',
    card: { number: '4000002760003184', exp_month: 11, exp_year: 2031, cvc: '123' },
  });
  const intent = await bench.stripe.paymentIntents.create({
    amount: 700,
    currency: 'eur',
    confirm: true,
    allowed_payment_method_types: ['card'],
    payment_method: method.id,
    return_url: 'http://localhost/back',
  });
  const url = intent.next_action?.redirect_to_url?.url ?? 'no next action';
  const headers = language === undefined ? {} : { 'accept-language': language };
  return (await fetch(url, { headers })).text();
}

describe("the bank's page", () => {
  test.each([
    ['ar-EG,en;q=0.8', 'lang="ar" dir="rtl"', /أكّد دفعتك البالغة .*٧/],
    ['de-DE,de;q=0.9', 'lang="de" dir="ltr"', /Bestätigen Sie Ihre Zahlung von 7,00/],
    ['es', 'lang="es" dir="ltr"', /Confirme su pago de 7,00/],
    ['fr-FR', 'lang="fr" dir="ltr"', /Confirmez votre paiement de 7,00/],
    ['it', 'lang="it" dir="ltr"', /Conferma il tuo pagamento di 7,00/],
    ['ja-JP', 'lang="ja" dir="ltr"', /7\.00.*のお支払いを確認してください/],
    ['nl', 'lang="nl" dir="ltr"', /Bevestig uw betaling van €.7,00/],
    ['pl', 'lang="pl" dir="ltr"', /Potwierdź płatność 7,00/],
    ['pt-BR', 'lang="pt" dir="ltr"', /Confirme o seu pagamento de R?€.7,00/],
  ])('speaks the language of the buyer’s browser: %s', async (language, root, words) => {
    const page = await showBankPage(language);
    expect(page).toContain(`<html ${root}>`);
    expect(page).toMatch(words);
    expect(page).not.toMatch(/Confirm your|stands for|>(Approve|Fail|Time out)</);
    for (const outcome of ['approve', 'fail', 'cancel', 'time_out']) {
      expect(page).toContain(`name="outcome" value="${outcome}"`);
    }
  });

  test.each([[undefined], ['en-GB'], ['sv, xx;q=0.5'], ['"><script>, de_DE@posix'], ['*']])(
    'speaks English to %s',
    async (language) => {
      const page = await showBankPage(language);
      expect(page).toContain('<html lang="en" dir="ltr">');
      expect(page).toContain('Confirm your payment of €7.00');
    },
  );

  test('takes the first language that it has', async () => {
    expect(await showBankPage('sv, nl;q=0.9, de;q=0.8')).toContain('lang="nl"');
  });
});
