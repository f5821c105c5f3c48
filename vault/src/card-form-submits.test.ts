// Submits of the card form that meet another card: each card has its own answer.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fillCard, form, message, send, startCardStage } from '../test/card-stage.ts';

type Stage = Awaited<ReturnType<typeof startCardStage>>;
type Page = Awaited<ReturnType<Stage['mount']>>;
let stage: Stage;

beforeAll(async () => {
  stage = await startCardStage();
});
afterEach(() => stage.closePages());
afterAll(() => stage?.close());

/** Mounts the form and sends a card, whose refusal comes when `refuse` is called. */
async function sendOne(): Promise<{ page: Page; refuse: () => void }> {
  const page = await stage.mount();
  const sent = Promise.withResolvers<void>();
  const come = Promise.withResolvers<void>();
  let calls = 0;
  await page.route('**/form/tokens', async (route) => {
    calls += 1;
    if (calls > 1) return route.continue();
    sent.resolve();
    await come.promise;
    const body = JSON.stringify({ code: 'number_invalid', retryable: false });
    return route.fulfill({ status: 422, contentType: 'application/json', body });
  });
  await fillCard(page);
  await send(page, { type: 'submit', id: 'a' });
  await sent.promise;
  return { page, refuse: come.resolve };
}

const isMarked = (page: Page) => form(page).locator('#number').getAttribute('aria-invalid');

describe('a card that is typed while another is sent', () => {
  it('gets a token of its own, and no refusal of the first', async () => {
    const { page, refuse } = await sendOne();
    await form(page).locator('#number').fill('5555555555554444');
    await send(page, { type: 'submit', id: 'b' });
    // Answered while the first is still on its way.
    expect(await message(page, 'token')).toMatchObject({ id: 'b', lastFour: '4444' });
    refuse();
    expect(await message(page, 'error')).toMatchObject({ id: 'a', code: 'number_invalid' });
    expect(await isMarked(page)).toBeNull();
  });

  it('and not yet sent, is left as it is where the first is refused', async () => {
    const { page, refuse } = await sendOne();
    await form(page).locator('#number').fill('5555555555554444');
    await form(page).locator('#cvc').focus();
    refuse();
    expect(await message(page, 'error')).toMatchObject({ id: 'a', code: 'number_invalid' });
    expect(await isMarked(page)).toBeNull();
    expect(await form(page).locator('#cvc:focus').count()).toBe(1);
  });
});
