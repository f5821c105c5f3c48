// CardSetup mounted over an older one, and a form that loads late: no dead form stays in the page,
// and no typed text is lost.

import { describe, expect, it } from 'vitest';
import { cardSetupFixture, sessionId } from '../../test-fixture.ts';

const fixture = cardSetupFixture();
const frames = () => fixture.page.locator('iframe').count();
const readNumber = () => fixture.number().inputValue();

describe('mounting again', () => {
  it('a new instance that goes before its session has come takes the form along', async () => {
    await fixture.visit();
    await fixture.ready();
    const come = Promise.withResolvers<void>();
    await fixture.page.route(`**/sessions/${sessionId}`, async (route) => {
      await come.promise;
      await route.continue().catch(() => {});
    });
    const asked = fixture.page.waitForRequest(`**/sessions/${sessionId}`);
    await fixture.mount();
    await asked;
    await fixture.page.evaluate('setup.destroy()');
    come.resolve();
    expect(await frames()).toBe(0);
  });

  it('an older one that is destroyed meanwhile hears no more of the form that it gave away', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.page.evaluate('globalThis.older = setup');
    const come = Promise.withResolvers<void>();
    await fixture.page.route(`**/sessions/${sessionId}`, async (route) => {
      await come.promise;
      await route.continue();
    });
    const asked = fixture.page.waitForRequest(`**/sessions/${sessionId}`);
    await fixture.mount();
    await asked;
    await fixture.page.evaluate('older.destroy(); heard.length = 0');
    await fixture.number().fill('4242');
    await fixture.settled();
    expect(await fixture.heard()).toEqual([]);
    come.resolve();
    // The newer form reports the state that it has taken over.
    await expect.poll(() => fixture.heardOf('change')).toHaveLength(1);
    const all = await fixture.heard();
    expect(all.map(([name]) => name)).toEqual(['ready', 'change']);
    expect(all[1]?.[1]).toMatchObject({ complete: true, empty: false });
    expect([await frames(), await readNumber()]).toEqual([1, '4242']);
  });

  it('a form that comes after its load error is one: mounted again it keeps what is typed', async () => {
    fixture.form = 'silent';
    await fixture.visit();
    await fixture.page.clock.install();
    await fixture.mount();
    await fixture.number().waitFor();
    await fixture.page.clock.fastForward(8_100);
    await expect.poll(() => fixture.heardOf('loaderror')).toHaveLength(1);
    await fixture.page.frames()[1]?.evaluate('send({ type: "ready" })');
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    await fixture.number().fill('4242');
    await fixture.page.evaluate('setup.mount("#card")');
    await fixture.page.clock.runFor(500);
    expect([await frames(), await readNumber()]).toEqual([1, '4242']);
  });

  it('a form whose document comes after its load error is one as well', async () => {
    await fixture.visit();
    const come = Promise.withResolvers<void>();
    await fixture.page.route(/\/form\/1/, async (route) => {
      await come.promise;
      await route.continue();
    });
    await fixture.page.clock.install();
    const asked = fixture.page.waitForRequest(/\/form\/1/);
    await fixture.mount();
    await asked;
    await fixture.page.clock.fastForward(8_100);
    await expect.poll(() => fixture.heardOf('loaderror')).toHaveLength(1);
    come.resolve();
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    await fixture.number().fill('4242');
    await fixture.mount();
    await fixture.page.clock.runFor(500);
    expect([await frames(), await readNumber()]).toEqual([1, '4242']);
  });
});
