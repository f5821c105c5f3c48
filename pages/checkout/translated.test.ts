// The page in a browser that translates it: the translator replaces text nodes by its own, and
// every later text of the page, amounts above all, must still be visible.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';

const test = pageTest();

/**
 * Translates the page as Chromium does: replaces each text node, new ones too, by
 * `<font><font>text</font></font>`.
 */
const translate = `(() => {
  const own = new WeakSet();
  const wrap = (node) => {
    const isLeftAlone = own.has(node) || !node.data.trim() || !node.parentElement ||
      /^(SCRIPT|STYLE|FONT)$/.test(node.parentElement.nodeName) ||
      node.parentElement.closest('[translate=no]');
    if (isLeftAlone) return;
    const text = document.createTextNode(node.data + '\u200b');
    own.add(text);
    const outer = document.createElement('font'), inner = document.createElement('font');
    inner.append(text);
    outer.append(inner);
    node.parentNode.replaceChild(outer, node);
  };
  const run = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), all = [];
    while (walker.nextNode()) all.push(walker.currentNode);
    all.forEach(wrap);
  };
  run(document.body);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) {
      if (node.nodeType === 3) wrap(node);
      else if (node.nodeType === 1 && node.nodeName !== 'FONT') run(node);
    }
  }).observe(document.body, { childList: true, subtree: true });
})()`;

const readSeen = async (selector: string) =>
  ((await test.page.locator(selector).textContent()) ?? '')
    .replaceAll('\u00a0', ' ')
    .replaceAll('\u200b', '')
    .trim();
const cheaper = { subtotal: 49.7, discount: 4.97, total: 44.73, currency: 'EUR' };

/** Makes the service take ten percent off while there is a code. */
function discountTenth(): void {
  const answer = test.wire.coupons;
  test.wire.coupons = (codes) => {
    const { totals: _, ...rest } = test.wire.session;
    test.wire.session = codes.length > 0 ? { ...rest, totals: cheaper } : rest;
    return answer(codes);
  };
}

describe('a translated page', () => {
  it('a code applied and taken off: button, sums and news say the amount that is charged', async () => {
    discountTenth();
    test.wire.session = { couponsAccepted: true };
    await test.visit();
    await test.number().fill('4242424242424242');
    const before = await readSeen('button.pay');
    await test.page.evaluate(translate);
    await test.page.getByRole('button', { name: 'Add a discount code' }).click();
    await test.page.getByLabel('Discount code').fill('SPRING');
    await test.page.keyboard.press('Enter');
    await expect.poll(() => readSeen('button.pay')).toBe('Pay €44.73');
    expect(await readSeen('.amount')).toContain('€44.73');
    expect(await readSeen('.sum-total')).toContain('€44.73');
    expect(await readSeen('.coupon-news')).toBe('The code was applied. New total: €44.73');
    await test.page.getByRole('button', { name: /^Remove/ }).click();
    await expect.poll(() => readSeen('button.pay')).toBe(before);
    expect(await readSeen('.coupon-news')).toBe(
      `The code was removed. New total: ${before.replace('Pay ', '')}`,
    );
    for (const place of ['.summary', '.side']) expect(await readSeen(place)).not.toContain('44.73');
  });

  it('amounts, card digits, codes and references are marked as not to be translated', async () => {
    test.wire.session = { couponsAccepted: true, couponCodes: ['SPRING'], totals: cheaper };
    await test.visit();
    await test.number().waitFor();
    const marked = await test.page.evaluate(() => {
      const found: string[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { parentElement, textContent } = walker.currentNode;
        const isFigure = /[€@]|SPRING|••••/.test(textContent ?? '');
        const isCode = /^(SCRIPT|STYLE)$/.test(parentElement?.nodeName ?? '');
        if (isFigure && !isCode && !parentElement?.closest('[translate=no]'))
          found.push(`${textContent}`);
      }
      return found;
    });
    expect(marked).toEqual([]);
  });
});
