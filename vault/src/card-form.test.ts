// The card form as people and pages meet it, in a real browser.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  fillCard,
  form,
  message,
  messages,
  send,
  startCardStage,
  typedInto,
  waitInFrame,
} from '../test/card-stage.ts';
import { redeem, sha256 } from '../test/harness.ts';

type Stage = Awaited<ReturnType<typeof startCardStage>>;
let stage: Stage;
let mount: Stage['mount'];

beforeAll(async () => {
  stage = await startCardStage();
  ({ mount } = stage);
});
afterEach(() => stage.closePages());
afterAll(() => stage?.close());

describe('filling in', () => {
  it('by keyboard alone: the token comes over the port, and is good once', async () => {
    const claims = stage.vault.claims();
    const page = await mount({}, { mountToken: stage.vault.mountToken(claims) });
    await page.locator('#before').focus();
    await page.keyboard.press('Tab');
    // The focus crosses processes: keys that are sent before it arrives would be lost.
    await waitInFrame(page, "document.activeElement?.id === 'number'");
    await page.keyboard.type('4242424242424242');
    await page.keyboard.press('Tab');
    await page.keyboard.type('127');
    expect(await typedInto(page, 'expiry')).toBe('12 / 7');
    for (let i = 0; i < 6; i++) await page.keyboard.press('Backspace');
    await page.keyboard.type('1240');
    await page.keyboard.press('Tab');
    await page.keyboard.type('123');
    expect(await typedInto(page, 'number')).toBe('4242 4242 4242 4242');
    expect(await typedInto(page, 'expiry')).toBe('12 / 40');
    expect(await message(page, 'change')).toMatchObject({
      complete: true,
      brand: 'visa',
      errors: [],
    });

    await page.keyboard.press('Enter');
    await message(page, 'enter');
    await send(page, { type: 'submit', id: 'one' });
    const token = await message(page, 'token');
    expect(token).toEqual({
      type: 'token',
      id: 'one',
      token: token.token,
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
    expect(redeemed.body).toMatchObject({ expiryMonth: 12, expiryYear: 2040 });
  });

  it('no message ever carries number, expiry or CVC', async () => {
    const page = await mount();
    await form(page).locator('#number').pressSequentially('4242424242424242');
    await form(page).locator('#expiry').fill('11/39');
    await form(page).locator('#cvc').fill('987');
    await send(page, { type: 'submit', id: 'x' });
    await message(page, 'token');
    const text = JSON.stringify((await messages(page)).map(({ token: _, ...rest }) => rest));
    expect(text).not.toMatch(/42424|4242 4242|11 ?\/ ?39|987/);
  });

  it('Enter that is held down is one wish', async () => {
    const page = await mount();
    await form(page).locator('#number').focus();
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    await message(page, 'enter');
    await page.keyboard.press('Escape');
    await message(page, 'escape');
    expect((await messages(page)).filter(({ type }) => type === 'enter')).toHaveLength(1);
  });

  it('keeps the caret when a digit is typed or a space deleted in the middle', async () => {
    const page = await mount();
    const number = form(page).locator('#number');
    await number.pressSequentially('42424242');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Backspace');
    expect(await number.inputValue()).toBe('4244 242');
    await page.keyboard.type('9');
    expect(await number.inputValue()).toBe('4249 4242');
  });

  it('changes drawing, CVC length and text alternative with the brand, and says it once', async () => {
    const page = await mount();
    await form(page).locator('#number').pressSequentially('3782');
    expect(await form(page).locator('#announcer').textContent()).toBe('American Express card');
    expect(await form(page).locator('#number').getAttribute('aria-describedby')).toBe('brand-text');
    const mark = form(page).locator('[data-field=number] use');
    expect(await mark.getAttribute('href')).toBe('#mark-amex');
    await form(page).locator('#cvc').pressSequentially('12345');
    expect(await typedInto(page, 'cvc')).toBe('1234');
    await form(page).locator('#number').fill('4242');
    expect(await typedInto(page, 'cvc')).toBe('123');
  });

  it('advances by itself only where the page asked for it', async () => {
    for (const autoAdvance of [false, true]) {
      const page = await mount({ autoAdvance });
      await form(page).locator('#number').pressSequentially('4242424242424242');
      const focused = await form(page).locator(':focus').getAttribute('id');
      expect(focused).toBe(autoAdvance ? 'expiry' : 'number');
    }
  });
});

describe('mistakes', () => {
  it('are told on leaving a field, not while typing, and go when they are mended', async () => {
    const page = await mount();
    const number = form(page).locator('#number');
    await number.pressSequentially('4242424242424241');
    expect(await form(page).locator('#errors p').count()).toBe(0);
    await page.keyboard.press('Tab');
    const sentence = form(page).locator('#error-number');
    expect(await sentence.textContent()).toBe('Check the card number; it has a mistake.');
    expect(await number.getAttribute('aria-invalid')).toBe('true');
    expect(await number.getAttribute('aria-describedby')).toBe('error-number brand-text');
    expect((await message(page, 'change')).errors).toEqual([
      { field: 'number', code: 'number_invalid' },
    ]);
    await number.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('2');
    expect(await number.inputValue()).toBe('4242 4242 4242 4242');
    expect(await sentence.count()).toBe(0);
    expect(await number.getAttribute('aria-invalid')).toBe(null);
  });

  it('on submit: every field is told, the first bad one is focused', async () => {
    const page = await mount({ fields: ['name', 'postalCode'] });
    await form(page).locator('#number').fill('4242424242424242');
    await send(page, { type: 'submit', id: 'x' });
    expect(await message(page, 'error')).toEqual({
      type: 'error',
      id: 'x',
      code: 'expiry_incomplete',
      message: 'Enter the expiry date as month and year.',
      retryable: false,
    });
    expect(await form(page).locator(':focus').getAttribute('id')).toBe('expiry');
    expect(await form(page).locator('#errors p').count()).toBe(4);
    expect((await message(page, 'change')).errors).toEqual([
      { field: 'expiry', code: 'expiry_incomplete' },
      { field: 'cvc', code: 'cvc_incomplete' },
      { field: 'name', code: 'name_required' },
      { field: 'postalCode', code: 'postal_code_required' },
    ]);
  });

  it('a wrong mount token: session_expired; with a fresh one it goes on', async () => {
    const page = await mount({}, { mountToken: 'svcm_x.y' });
    await fillCard(page);
    await send(page, { type: 'submit', id: 'x' });
    expect(await message(page, 'error')).toMatchObject({
      code: 'session_expired',
      retryable: false,
    });
    await send(page, { type: 'mountToken', mountToken: stage.vault.mountToken() });
    await send(page, { type: 'submit', id: 'y' });
    expect(await message(page, 'token')).toMatchObject({ id: 'y' });
  });
});

describe('around the form', () => {
  it('Tab leaves to what follows, a frame or a button, and comes back', async () => {
    const page = await mount();
    // The focus crosses processes, which takes a moment.
    const waitForFocus = (id: string) =>
      page.waitForFunction(`document.activeElement.id === '${id}'`);
    await form(page).locator('#cvc').focus();
    await page.keyboard.press('Tab');
    await waitForFocus('next');
    await page.keyboard.press('Tab');
    await waitForFocus('after');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await waitInFrame(page, "document.activeElement?.id === 'cvc'");
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+Tab');
    await waitForFocus('before');
  });

  it('reports focus, blur, Escape and height, and follows focus, disable and clear', async () => {
    const page = await mount();
    await send(page, { type: 'focus', field: 'expiry' });
    expect(await message(page, 'focus')).toMatchObject({ field: 'expiry' });
    expect(await form(page).locator(':focus').getAttribute('id')).toBe('expiry');
    await page.keyboard.press('Escape');
    await message(page, 'escape');
    const before = (await message(page, 'height')).px;
    await send(page, { type: 'submit', id: 'x' });
    await message(page, 'error');
    await page.waitForFunction(`messages.findLast((m) => m.type === 'height').px > ${before}`);
    await form(page).locator('#number').fill('4242');
    await send(page, { type: 'disable', disabled: true });
    await form(page).locator('#number:disabled').waitFor();
    await send(page, { type: 'disable', disabled: false });
    await send(page, { type: 'clear' });
    await page.waitForFunction(`messages.findLast((m) => m.type === 'change').empty`);
    expect(await typedInto(page, 'number')).toBe('');
    expect(await form(page).locator('#errors p').count()).toBe(0);
  });

  it('has no scroll bar of its own at 320 pixels, and targets of 44 pixels', async () => {
    const context = { viewport: { width: 320, height: 600 } };
    const options = {
      fields: ['name', 'postalCode'],
      locale: 'fr',
      appearance: { density: 'compact' },
    };
    const page = await mount(options, { context });
    const frame = page.frames()[1];
    expect(await frame?.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await waitInFrame(page, 'document.documentElement.scrollHeight <= innerHeight');
    for (const id of ['number', 'expiry', 'cvc', 'name', 'postalCode']) {
      const box = await form(page).locator(`#${id}`).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      const size = `parseFloat(getComputedStyle(document.getElementById('${id}')).fontSize)`;
      expect(await frame?.evaluate(size)).toBeGreaterThanOrEqual(16);
    }
  });

  it('keeps expiry and code on one line where a label takes two', async () => {
    const page = await mount(
      { locale: 'es' },
      { context: { viewport: { width: 336, height: 600 } } },
    );
    const [expiry, cvc] = await Promise.all(
      ['expiry', 'cvc'].map((id) => form(page).locator(`#${id}`).boundingBox()),
    );
    expect(expiry?.y).toBe(cvc?.y);
  });

  it('is found by label and kind by people and by autofill', async () => {
    const page = await mount({ fields: ['name', 'postalCode'] });
    const fields = [
      ['Card number', 'cc-number', 'numeric'],
      ['Expiry date', 'cc-exp', 'numeric'],
      ['Security code', 'cc-csc', 'numeric'],
      ['Name on card', 'cc-name', null],
      ['Postal code', 'postal-code', null],
    ] as const;
    for (const [label, autocomplete, inputmode] of fields) {
      const input = form(page).getByLabel(label, { exact: true });
      expect(await input.getAttribute('autocomplete')).toBe(autocomplete);
      expect(await input.getAttribute('inputmode')).toBe(inputmode);
      expect(await input.getAttribute('type')).toBe('text');
      expect(await input.getAttribute('aria-required')).toBe('true');
    }
    expect(await form(page).getByRole('group', { name: 'Card details' }).count()).toBe(1);
  });

  it('speaks Arabic from right to left, digits still from left to right', async () => {
    const page = await mount({ locale: 'ar' });
    const frame = page.frames()[1];
    const root = 'document.documentElement';
    expect(await frame?.evaluate(`[${root}.lang, ${root}.dir]`)).toEqual(['ar', 'rtl']);
    const number = form(page).getByLabel('رقم البطاقة');
    await number.fill('4242424242424242');
    const direction = `getComputedStyle(document.getElementById('number')).direction`;
    expect(await frame?.evaluate(direction)).toBe('ltr');
    const [field, mark] = [
      await number.boundingBox(),
      await form(page).locator('[data-field=number] .mark').boundingBox(),
    ];
    expect((mark?.x ?? 0) - (field?.x ?? 0)).toBeLessThan(20);
  });

  it('follows theme, variables, texts and hidden labels, and warns of what it does not', async () => {
    const page = await mount({
      appearance: {
        theme: 'dark',
        labels: 'hidden',
        variables: { accent: 'rgb(0 128 0)', danger: 'javascript:1', text: '#333' },
      },
      texts: { number: 'Number of the card' },
    });
    const style = (name: string) =>
      page
        .frames()[1]
        ?.evaluate(
          `getComputedStyle(document.documentElement).getPropertyValue('--${name}').trim()`,
        );
    expect(await style('accent')).toBe('rgb(0 128 0)');
    expect(await style('background')).toBe('#1b1f2a');
    const number = form(page).getByLabel('Number of the card');
    expect(await number.getAttribute('placeholder')).toBe('Number of the card');
    const warnings = (await messages(page)).filter(({ type }) => type === 'warning');
    expect(warnings.map((one) => one.message)).toEqual([
      'appearance.variables.danger is ignored: it is no opaque CSS colour.',
      expect.stringContaining("'text' on 'background' has a contrast of 1.3:1"),
    ]);
    await send(page, { type: 'update', options: { appearance: { theme: 'light' }, locale: 'de' } });
    await waitInFrame(page, `document.documentElement.lang === 'de'`);
    expect(await style('background')).toBe('#fff');
    expect(await style('accent')).toBe('rgb(0 128 0)');
  });

  it("with theme auto follows the reader's preference, also when it changes", async () => {
    const context = { colorScheme: 'dark' as const };
    const page = await mount({ appearance: { theme: 'auto' } }, { context });
    const theme = `document.documentElement.dataset.theme`;
    expect(await page.frames()[1]?.evaluate(theme)).toBe('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await waitInFrame(page, `${theme} === 'light'`);
  });

  it('shows a still skeleton until it is mounted, for those who want less motion', async () => {
    const page = await stage.newPage({ reducedMotion: 'reduce' });
    await page.goto(`${stage.site.origin}/none`);
    await page.evaluate(`document.body.innerHTML = '<iframe title=x></iframe>'; 
      document.querySelector('iframe').src = ${JSON.stringify(stage.vault.formUrl([stage.site.origin]))}`);
    const bone = form(page).locator('#skeleton i').first();
    await bone.waitFor();
    const animation = `getComputedStyle(document.querySelector('#skeleton i')).animationName`;
    expect(await page.frames()[1]?.evaluate(animation)).toBe('none');
    expect(await form(page).locator('#form').isVisible()).toBe(false);
  });
});
