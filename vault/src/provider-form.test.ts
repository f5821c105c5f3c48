// The card form on the provider's hosted fields, in a real browser: the sandbox's stand-in of the
// provider's browser library, in frames of its own origin.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  fillHosted,
  form,
  hosted,
  message,
  messages,
  type Page,
  send,
  startCardStage,
  untilHeard,
  waitInFrame,
} from '../test/card-stage.ts';
import { redeem, sha256 } from '../test/harness.ts';

type Stage = Awaited<ReturnType<typeof startCardStage>>;
let stage: Stage;
let mount: Stage['mount'];

beforeAll(async () => {
  stage = await startCardStage({ driver: 'provider-fields' });
  ({ mount } = stage);
});
afterEach(() => stage.closePages());
afterAll(() => stage?.close());

const submit = (page: Page, id = 'x') => send(page, { type: 'submit', id });
const sentences = (page: Page) => form(page).locator('#errors p').allTextContents();
const inside = (page: Page, field: string) => form(page).frameLocator(`#${field} iframe`);
const untilFocused = (page: Page, field: string) =>
  expect.poll(() => inside(page, field).locator('input:focus').count()).toBe(1);
const place = (page: Page, field: string) => form(page).locator(`#${field}`);

describe('filling in', () => {
  it('the token comes over the port; the vault knows the provider’s id and nothing else', async () => {
    const claims = stage.vault.claims();
    const page = await mount({}, { mountToken: stage.vault.mountToken(claims) });
    await fillHosted(page);
    await submit(page);
    const token = await message(page, 'token');
    expect(token).toEqual({
      type: 'token',
      id: 'x',
      token: expect.stringMatching(/^svct_/),
      brand: 'visa',
      lastFour: '4242',
    });
    const redeemed = await redeem(stage.vault, {
      tokenSha256: sha256(token.token),
      sessionId: claims.sessionId,
      clientId: claims.clientId,
      operationId: claims.sessionId,
      claimedBy: claims.clientId,
    });
    expect(redeemed.body).toEqual({
      providerPaymentMethodId: expect.stringMatching(/^pm_/),
      brand: null,
      lastFour: null,
      expiryMonth: null,
      expiryYear: null,
      postalCode: null,
    });
    expect(await sentences(page)).toEqual([]);
  });

  it('the number is nowhere: not in the page, the form, a message, a request to the vault, its log or tables', async () => {
    const bodies: string[] = [];
    const page = await stage.newPage();
    page.on('request', (request) => {
      if (request.url().startsWith(stage.vault.url)) bodies.push(request.postData() ?? '');
    });
    const formUrl = stage.vault.formUrl([stage.site.origin]);
    const mountToken = stage.vault.mountToken();
    await page.goto(stage.site.page({ formUrl, mountToken, options: { fields: ['name'] } }));
    await message(page, 'ready');
    await form(page).locator('#name').fill('Ada Lovelace');
    await fillHosted(page, '5555555555554444');
    await submit(page);
    await message(page, 'token');
    const markup = 'document.documentElement.outerHTML';
    const frame = page.frames().find((one) => one.url().startsWith(stage.vault.url));
    const inputs = `${markup} + [...document.querySelectorAll('input')].map((i) => i.value).join()`;
    const shown = [await page.evaluate(markup), await frame?.evaluate(inputs)];
    const kept = await stage.vault.dump();
    const said = JSON.stringify([shown, await messages(page), bodies, stage.vault.lines, kept]);
    expect(bodies.some((body) => body.includes('pm_'))).toBe(true);
    expect(said).toContain('Ada Lovelace');
    expect(said.replace(/pm_\w+/g, '')).not.toMatch(/5555 ?5555|55554444|5555 4444/);
  });

  it('by keyboard alone, field by field and out again; Enter and Escape are told', async () => {
    const page = await mount();
    await page.locator('#before').focus();
    await page.keyboard.press('Tab');
    await untilFocused(page, 'number');
    await page.keyboard.type('4242424242424242');
    await page.keyboard.press('Tab');
    await untilFocused(page, 'expiry');
    await page.keyboard.type('1240');
    await page.keyboard.press('Tab');
    await untilFocused(page, 'cvc');
    await page.keyboard.type('123');
    await expect
      .poll(() => message(page, 'change'))
      .toMatchObject({
        complete: true,
        brand: 'visa',
        errors: [],
      });
    await page.keyboard.press('Enter');
    await message(page, 'enter');
    await page.keyboard.press('Escape');
    await message(page, 'escape');
    const heard = (await messages(page)).filter(({ type }) => type === 'focus' || type === 'blur');
    expect(heard.map(({ type, field }) => `${type} ${field}`)).toEqual([
      'focus number',
      'blur number',
      'focus expiry',
      'blur expiry',
      'focus cvc',
    ]);
  });

  it('each field is named for a screen reader, and its place bears our label in the buyer’s language', async () => {
    const page = await mount({ locale: 'de' });
    for (const [field, label] of [
      ['number', 'Kartennummer'],
      ['expiry', 'Gültig bis'],
      ['cvc', 'Prüfnummer'],
    ] as const) {
      expect(await form(page).getByRole('group', { name: label, exact: true }).count(), label).toBe(
        1,
      );
      expect(await hosted(page, field).getAttribute('aria-label')).toMatch(/^Credit or debit card/);
      expect(await inside(page, field).locator('html').getAttribute('lang')).toBe('de');
    }
    await form(page).locator('label[for=cvc]').click();
    await expect.poll(() => message(page, 'focus')).toMatchObject({ field: 'cvc' });
  });

  it('brand and CVC length follow the number; looks follow the page, which disables, clears and focuses', async () => {
    const page = await mount({ appearance: { theme: 'dark' } });
    await hosted(page, 'number').fill('378282246310005');
    await expect
      .poll(() => form(page).locator('[data-field=number] use').getAttribute('href'))
      .toBe('#mark-amex');
    expect(await form(page).locator('#announcer').textContent()).toBe('American Express card');
    await hosted(page, 'cvc').fill('12345');
    await expect.poll(() => hosted(page, 'cvc').inputValue()).toBe('1234');
    const look = () => hosted(page, 'number').getAttribute('style');
    expect(await look()).toContain('color: rgb(241, 243, 248)');
    await send(page, { type: 'update', options: { appearance: { theme: 'light' } } });
    await expect.poll(look).toContain('color: rgb(26, 29, 38)');
    await send(page, { type: 'disable', disabled: true });
    await expect.poll(() => hosted(page, 'number').isDisabled()).toBe(true);
    await send(page, { type: 'disable', disabled: false });
    await send(page, { type: 'clear' });
    await expect.poll(() => hosted(page, 'number').inputValue()).toBe('');
    await expect.poll(() => message(page, 'change')).toMatchObject({ empty: true, brand: null });
    await send(page, { type: 'focus', field: 'expiry' });
    await expect.poll(() => message(page, 'focus')).toMatchObject({ field: 'expiry' });
  });
});

describe('mistakes, in our words', () => {
  it('are told on leaving a field, not while typing, and go when they are mended', async () => {
    const page = await mount();
    await hosted(page, 'number').pressSequentially('4242424242424241');
    expect(await sentences(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await expect.poll(() => sentences(page)).toEqual(['Check the card number; it has a mistake.']);
    expect(await place(page, 'number').getAttribute('aria-invalid')).toBe('true');
    expect(await message(page, 'change')).toMatchObject({
      errors: [{ field: 'number', code: 'number_invalid' }],
    });
    await hosted(page, 'number').fill('4242424242424242');
    await expect.poll(() => sentences(page)).toEqual([]);
    expect(await place(page, 'number').getAttribute('aria-invalid')).toBe(null);
  });

  it('each has its code and sentence at a submit, and its field the focus', async () => {
    const visa = '4242424242424242';
    const expected = [
      ['424242', '1240', '123', 'number_incomplete', 'Enter the full card number.'],
      [visa, '12', '123', 'expiry_incomplete', 'Enter the expiry date as month and year.'],
      [visa, '0120', '123', 'expiry_past', 'This card has expired; use another one.'],
      [
        visa,
        '1240',
        '12',
        'cvc_incomplete',
        'Enter the security code: 3 digits on the back of the card.',
      ],
    ] as const;
    const page = await mount({ brands: ['visa'] });
    for (const [number, expiry, cvc, code, sentence] of expected) {
      await hosted(page, 'number').fill(number);
      await hosted(page, 'expiry').fill(expiry);
      await hosted(page, 'cvc').fill(cvc);
      await submit(page, code);
      const error = { id: code, code, message: sentence, retryable: false };
      await expect.poll(() => message(page, 'error')).toMatchObject(error);
      expect(await sentences(page)).toContain(sentence);
      const [field] = code.split('_');
      await expect.poll(() => message(page, 'focus')).toMatchObject({ field });
    }
    await fillHosted(page, '5555555555554444');
    await submit(page, 'brand');
    const untaken = { id: 'brand', code: 'brand_unsupported' };
    await expect.poll(() => message(page, 'error')).toMatchObject(untaken);
  });

  it('in the buyer’s language, for every empty field; the first one is focused', async () => {
    const page = await mount({ locale: 'fr', fields: ['name'] });
    await submit(page);
    expect(await message(page, 'error')).toMatchObject({ code: 'number_incomplete' });
    expect(await sentences(page)).toHaveLength(4);
    expect((await sentences(page)).join(' ')).toMatch(/numéro de carte/i);
    await expect.poll(() => message(page, 'focus')).toMatchObject({ field: 'number' });
  });
});

describe('the provider’s script', () => {
  const open = async (handle: Parameters<Page['route']>[1], given?: Page) => {
    const page = given ?? (await stage.newPage());
    await page.route('**/v3/', handle);
    const formUrl = stage.vault.formUrl([stage.site.origin]);
    await page.goto(stage.site.page({ formUrl, mountToken: stage.vault.mountToken() }));
    return page;
  };

  it.each([
    ['blocked by an extension or the network', (route) => route.abort('blockedbyclient')],
    ['something else', (route) => route.fulfill({ contentType: 'text/javascript', body: '1' })],
  ] as [string, Parameters<Page['route']>[1]][])('%s: provider_unreachable', async (_, handle) => {
    const page = await open(handle);
    expect(await message(page, 'loaderror')).toEqual({
      type: 'loaderror',
      reason: 'provider_unreachable',
    });
    expect((await messages(page)).some(({ type }) => type === 'ready')).toBe(false);
  });

  it('too slow: provider_too_slow after six seconds, and ready when it comes', async () => {
    const [asked, come] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const page = await stage.newPage();
    // The clock is stopped: on a slow machine half a second passes before the form is there.
    const now = Date.now();
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now + 1_000);
    await open(async (route) => {
      asked.resolve();
      await come.promise;
      return route.continue();
    }, page);
    await asked.promise;
    await untilHeard(page);
    await page.clock.fastForward(5_900);
    await untilHeard(page);
    expect(await messages(page)).toEqual([]);
    await page.clock.fastForward(200);
    expect(await message(page, 'loaderror')).toMatchObject({ reason: 'provider_too_slow' });
    await page.clock.resume();
    come.resolve();
    await message(page, 'ready');
    await fillHosted(page);
    await submit(page);
    await message(page, 'token');
  });

  it('a field whose frame cannot be loaded: told with a reason, never ready', async () => {
    const page = await stage.newPage();
    await page.route('**/stand-in/field.html', (route) => route.abort());
    await page.clock.install();
    const formUrl = stage.vault.formUrl([stage.site.origin]);
    await page.goto(stage.site.page({ formUrl, mountToken: stage.vault.mountToken() }));
    const aSecondOn = async () => {
      await page.clock.fastForward(1_000);
      return (await messages(page)).map(({ type }) => type);
    };
    await expect.poll(aSecondOn, { interval: 30 }).toContain('loaderror');
    expect((await message(page, 'loaderror')).reason).toMatch(/^provider_/);
  });

  it('a mount token that is none: session_expired', async () => {
    const page = await stage.open({ mountToken: 'svcm_x.y' });
    expect(await message(page, 'loaderror')).toMatchObject({ reason: 'session_expired' });
  });

  it('stands on a narrow page, from right to left, and with forced colours', async () => {
    const page = await mount(
      { locale: 'ar' },
      { context: { viewport: { width: 320, height: 600 }, forcedColors: 'active' } },
    );
    await hosted(page, 'number').fill('4242');
    expect(await form(page).locator('html').getAttribute('dir')).toBe('rtl');
    await waitInFrame(page, 'document.documentElement.scrollWidth <= innerWidth');
  });
});
