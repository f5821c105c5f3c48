// CardSetup mounted over an older one, and a form that loads late: no dead form stays in the page,
// and no typed text is lost.

import { describe, expect, it } from 'vitest';
import { cardSetupGround, sessionId } from '../test-ground.ts';

const ground = cardSetupGround();
const frames = () => ground.page.locator('iframe').count();
const readNumber = () => ground.number().inputValue();

describe('mounting again', () => {
  it('a new instance whose session is over leaves no form of the older one behind', async () => {
    await ground.visit();
    await ground.ready();
    await ground.number().fill('4242');
    ground.session = { status: 'expired' };
    await ground.mount();
    await expect
      .poll(() => ground.heardOf('loaderror'))
      .toEqual([['loaderror', 'session_expired']]);
    expect(await frames()).toBe(0);
    await ground.submit();
    expect(await ground.result()).toMatchObject({ error: { code: 'session_expired' } });
  });

  it('a new instance that goes before its session has come takes the form along', async () => {
    await ground.visit();
    await ground.ready();
    const come = Promise.withResolvers<void>();
    await ground.page.route(`**/sessions/${sessionId}`, async (route) => {
      await come.promise;
      await route.continue().catch(() => {});
    });
    const asked = ground.page.waitForRequest(`**/sessions/${sessionId}`);
    await ground.mount();
    await asked;
    await ground.page.evaluate('setup.destroy()');
    come.resolve();
    expect(await frames()).toBe(0);
  });

  it('an older one that is destroyed meanwhile hears no more of the form that it gave away', async () => {
    await ground.visit();
    await ground.ready();
    await ground.page.evaluate('globalThis.older = setup');
    const come = Promise.withResolvers<void>();
    await ground.page.route(`**/sessions/${sessionId}`, async (route) => {
      await come.promise;
      await route.continue();
    });
    const asked = ground.page.waitForRequest(`**/sessions/${sessionId}`);
    await ground.mount();
    await asked;
    await ground.page.evaluate('older.destroy(); heard.length = 0');
    await ground.number().fill('4242');
    await ground.settled();
    expect(await ground.heard()).toEqual([]);
    come.resolve();
    // The newer form reports the state that it has taken over.
    await expect.poll(() => ground.heardOf('change')).toHaveLength(1);
    const all = await ground.heard();
    expect(all.map(([name]) => name)).toEqual(['ready', 'change']);
    expect(all[1]?.[1]).toMatchObject({ complete: true, empty: false });
    expect([await frames(), await readNumber()]).toEqual([1, '4242']);
  });

  it('a form that comes after its load error is one: mounted again it keeps what is typed', async () => {
    ground.form = 'silent';
    await ground.visit();
    await ground.page.clock.install();
    await ground.mount();
    await ground.number().waitFor();
    await ground.page.clock.fastForward(8_100);
    await expect.poll(() => ground.heardOf('loaderror')).toHaveLength(1);
    await ground.page.frames()[1]?.evaluate('send({ type: "ready" })');
    await expect.poll(() => ground.heardOf('ready')).toHaveLength(1);
    await ground.number().fill('4242');
    await ground.page.evaluate('setup.mount("#card")');
    await ground.page.clock.runFor(500);
    expect([await frames(), await readNumber()]).toEqual([1, '4242']);
  });

  it('a form whose document comes after its load error is one as well', async () => {
    await ground.visit();
    const come = Promise.withResolvers<void>();
    await ground.page.route(/\/form\/1/, async (route) => {
      await come.promise;
      await route.continue();
    });
    await ground.page.clock.install();
    const asked = ground.page.waitForRequest(/\/form\/1/);
    await ground.mount();
    await asked;
    await ground.page.clock.fastForward(8_100);
    await expect.poll(() => ground.heardOf('loaderror')).toHaveLength(1);
    come.resolve();
    await expect.poll(() => ground.heardOf('ready')).toHaveLength(1);
    await ground.number().fill('4242');
    await ground.mount();
    await ground.page.clock.runFor(500);
    expect([await frames(), await readNumber()]).toEqual([1, '4242']);
  });
});
