// Opens the card form in a real browser, inside a merchant's page on another site. Expressions are texts,
// because they run in the page, where other types apply.
import { sharedBrowser } from '@svc/tools/browser';
import { startTestVault } from './harness.ts';
import { type PageOptions, startMerchantSite } from './merchant-page.ts';

export type Chromium = Awaited<ReturnType<typeof sharedBrowser>>;
export type Page = Awaited<ReturnType<Chromium['newPage']>>;
export type Message = { type: string } & Record<string, unknown>;
export type StageOptions = Partial<PageOptions> & {
  readonly context?: Parameters<Chromium['newContext']>[0];
};

/** Every frame echoes this message, after it has received the page's earlier messages. */
const lastWord = 'the last one';
const echo = `addEventListener('message', ({ data, source }) => {
  if (data === '${lastWord}' && source === parent && parent !== self)
    source.postMessage('${lastWord}', '*');
});`;

/** Starts vault, merchant and browser. Call `closePages` after each test and `close` at the end. */
export async function startCardStage(settings: Parameters<typeof startTestVault>[0] = {}) {
  const [vault, site, chromium] = await Promise.all([
    startTestVault(settings),
    startMerchantSite(),
    sharedBrowser(),
  ]);
  vault.embedIn([site.origin]);
  const contexts: { close(): Promise<void> }[] = [];
  const newPage = async (context: StageOptions['context'] = {}): Promise<Page> => {
    const opened = await chromium.newContext(context);
    contexts.push(opened);
    await opened.addInitScript(echo);
    return opened.newPage();
  };
  const open = async ({ context, ...wanted }: StageOptions = {}): Promise<Page> => {
    const page = await newPage(context);
    const formUrl = vault.formUrl([site.origin]);
    await page.goto(site.page({ formUrl, mountToken: vault.mountToken(), ...wanted }));
    return page;
  };
  return {
    vault,
    site,
    newPage,
    open,
    /** Opens a page with a mounted form. */
    mount: async (
      options: Record<string, unknown> = {},
      wanted: StageOptions = {},
    ): Promise<Page> => {
      const page = await open({ ...wanted, options });
      await message(page, 'ready');
      return page;
    },
    closePages: async () => {
      for (const context of contexts.splice(0)) await context.close();
    },
    close: async () => {
      await site.close();
      await vault.close();
    },
  };
}

/** Returns everything that the form has sent. */
export const messages = (page: Page) => page.evaluate('messages') as Promise<Message[]>;

/** Waits for a message of a type and returns the newest one. */
export async function message(page: Page, type: string): Promise<Message> {
  await page.waitForFunction(`messages.some((m) => m.type === '${type}')`);
  const found = (await messages(page)).findLast((one) => one.type === type);
  if (!found) throw new Error(`no ${type}`);
  return found;
}

export const send = (page: Page, value: unknown) =>
  page.evaluate(`port.postMessage(${JSON.stringify(value)})`);

export const form = (page: Page) => page.frameLocator('iframe >> nth=0');

/** Waits inside the frame. Playwright's own way would need `eval`, which the policy forbids. */
export async function waitInFrame(page: Page, condition: string): Promise<void> {
  await page.frames()[1]?.evaluate(`new Promise((resolve, reject) => {
    const latest = performance.now() + 5000;
    const look = () => {
      if (${condition}) resolve();
      else if (performance.now() > latest) reject(new Error('it never came to this'));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Waits until the form has received the page's messages so far. */
export const untilHeard = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    addEventListener('message', ({ data }) => data === '${lastWord}' && resolve());
    document.querySelector('iframe').contentWindow.postMessage('${lastWord}', '*');
  })`);

export const typedInto = (page: Page, id: string) => form(page).locator(`#${id}`).inputValue();

/** Returns the provider's own input inside one of the form's places. */
export const hosted = (page: Page, field: 'number' | 'expiry' | 'cvc') =>
  form(page).frameLocator(`#${field} iframe`).locator('input');

/** Types the same card into the provider's fields. */
export async function fillHosted(page: Page, number = '4242424242424242'): Promise<void> {
  await hosted(page, 'number').fill(number);
  await hosted(page, 'expiry').fill('1240');
  await hosted(page, 'cvc').fill('123');
}

/** Types a card that the provider approves. */
export async function fillCard(page: Page): Promise<void> {
  await form(page).locator('#number').fill('4242424242424242');
  await form(page).locator('#expiry').fill('12/40');
  await form(page).locator('#cvc').fill('123');
}
