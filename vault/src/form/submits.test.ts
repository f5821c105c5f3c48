// What becomes of a submit, without a browser.

import type { FromForm } from '@svc/contract/vault/form-messages';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { codeOfRefusal } from './provider-codes.ts';
import { Submits, type SubmittedForm } from './submits.ts';
import { sendCard, sendMethod, type TokenAnswer } from './token-call.ts';

const token = (lastFour: string): TokenAnswer => ({
  token: `svct_${lastFour}`,
  brand: 'visa',
  lastFour,
});

/** A form into which one card is typed; a test sets how the vault answers each card. */
class StubForm implements SubmittedForm {
  typed = '4242';
  readonly sent: string[] = [];
  readonly rejected: string[] = [];
  answers: Record<string, Promise<TokenAnswer>> = {};

  read() {
    const card = this.typed;
    if (!card) return { key: 'none', code: 'number_incomplete' } as const;
    return {
      key: card,
      trade: (mountToken: string) => {
        this.sent.push(`${card} ${mountToken}`);
        return this.answers[card] ?? Promise.resolve(token(card));
      },
      holds: () => this.typed === card,
    };
  }
  reject(code: string): void {
    this.rejected.push(code);
  }
  sentence(code: string): string {
    return `sentence of ${code}`;
  }
}

let form: StubForm;
let submits: Submits;
let told: FromForm[];

beforeEach(() => {
  told = [];
  form = new StubForm();
  submits = new Submits((message) => void told.push(message));
});

describe('a submit', () => {
  it('two at once send one card and share its token', async () => {
    await Promise.all([submits.submit(form, 'a', 'svcm_1'), submits.submit(form, 'b', 'svcm_1')]);
    expect(form.sent).toEqual(['4242 svcm_1']);
    const shared = { type: 'token', ...token('4242') };
    expect(told).toEqual([
      { id: 'a', ...shared },
      { id: 'b', ...shared },
    ]);
    await submits.submit(form, 'c', 'svcm_2');
    expect(form.sent).toEqual(['4242 svcm_1', '4242 svcm_2']);
  });

  it('of a mistake sends nothing and tells its sentence', async () => {
    form.typed = '';
    await submits.submit(form, 'a', 'svcm_1');
    expect(form.sent).toEqual([]);
    expect(form.rejected).toEqual(['number_incomplete']);
    const message = 'sentence of number_incomplete';
    expect(told).toEqual([
      { type: 'error', id: 'a', code: 'number_incomplete', message, retryable: false },
    ]);
  });

  it('that is refused leaves what is typed, and the next one has its token', async () => {
    form.answers['4242'] = Promise.resolve({ code: 'unavailable', retryable: true });
    await submits.submit(form, 'a', 'svcm_1');
    expect(told).toMatchObject([{ type: 'error', id: 'a', code: 'unavailable', retryable: true }]);
    form.answers = {};
    await submits.submit(form, 'b', 'svcm_1');
    expect(told.at(-1)).toMatchObject({ type: 'token', id: 'b' });
  });

  it.each([true, false])(
    'a card that is typed while another is sent (submitted: %s) gets no refusal of the first',
    async (isSubmitted) => {
      const first = Promise.withResolvers<TokenAnswer>();
      form.answers['4242'] = first.promise;
      const one = submits.submit(form, 'a', 'svcm_1');
      form.typed = '4444';
      if (isSubmitted) {
        await submits.submit(form, 'b', 'svcm_1');
        // Answered while the first is still on its way.
        expect(told).toEqual([{ type: 'token', id: 'b', ...token('4444') }]);
      }
      first.resolve({ code: 'number_invalid', retryable: false });
      await one;
      expect(told.at(-1)).toMatchObject({ type: 'error', id: 'a', code: 'number_invalid' });
      expect(form.rejected).toEqual([]);
    },
  );
});

describe('the answer of the vault', () => {
  const card = { number: '4242424242424242', expiryMonth: 12, expiryYear: 2040, cvc: '123' };
  const unavailable = { code: 'unavailable', retryable: true };
  let answer: () => Response | Promise<Response>;
  let bodies: unknown[];

  beforeEach(() => {
    bodies = [];
    vi.stubGlobal('location', { search: '' });
    vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
      bodies.push(JSON.parse(String(body)));
      return answer();
    });
  });
  afterEach(() => void vi.unstubAllGlobals());
  const json = (status: number, fields: unknown) => () =>
    new Response(JSON.stringify(fields), { status });

  it('a token, with what the page may show of the card', async () => {
    answer = json(200, { token: 'svct_1', brand: 'visa', lastFour: '4242' });
    expect(await sendCard('svcm_1', card)).toEqual({
      token: 'svct_1',
      brand: 'visa',
      lastFour: '4242',
    });
    expect(bodies).toMatchObject([{ mountToken: 'svcm_1', ...card }]);
    answer = json(200, { token: 'svct_2' });
    const method = { paymentMethodId: 'pm_1', brand: 'amex', lastFour: '0005' };
    expect(await sendMethod('svcm_1', method)).toEqual({
      token: 'svct_2',
      brand: 'amex',
      lastFour: '0005',
    });
    // Brand and digits stay in this browser.
    expect(Object.keys(bodies[1] ?? {})).toEqual(['mountToken', 'parents', 'paymentMethodId']);
  });

  it.each<[string, () => Response | Promise<Response>, TokenAnswer]>([
    ['no answer', () => Promise.reject(new TypeError('Failed to fetch')), unavailable],
    ['no JSON', () => new Response('<h1>'), unavailable],
    ['no object', json(200, null), unavailable],
    ['a server error', json(500, {}), unavailable],
    [
      'an expired mount token',
      json(401, { code: 'session_expired' }),
      { code: 'session_expired', retryable: false },
    ],
    [
      'a refused card',
      json(422, { code: 'number_invalid' }),
      { code: 'number_invalid', retryable: false },
    ],
    [
      'too many',
      json(429, { code: 'rate_limited', retryable: true }),
      { code: 'rate_limited', retryable: true },
    ],
    ['a page of a proxy', json(403, { code: 'x' }), { code: 'unavailable', retryable: false }],
    [
      'raw numbers that the provider refuses',
      json(502, { code: 'raw_card_numbers_refused' }),
      { code: 'raw_card_numbers_refused', retryable: false },
    ],
  ])('%s', async (_, given, expected) => {
    answer = given;
    expect(await sendCard('svcm_1', card)).toEqual(expected);
  });
});

describe('why the provider made no payment method', () => {
  it.each([
    [
      'its own field code',
      { type: 'validation_error', code: 'incomplete_cvc' },
      'cvc_incomplete',
      false,
    ],
    ['a decline', { type: 'card_error', decline_code: 'lost_card' }, 'lost_card', false],
    ['a decline without a word', { type: 'card_error', code: 'No word' }, 'card_declined', false],
    ['no answer', { type: 'api_connection_error' }, 'unavailable', true],
    ['the key of no account', { type: 'authentication_error' }, 'unavailable', false],
    ['a request that it refuses', { type: 'invalid_request_error' }, 'unavailable', false],
  ])('%s', (_, error, code, retryable) => {
    expect(codeOfRefusal(error as Parameters<typeof codeOfRefusal>[0])).toEqual({
      code,
      retryable,
    });
  });
});
