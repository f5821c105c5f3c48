// What the tests of a person's and a merchant's pages share in addition: people who are already signed in,
// and functions that find parts of a page.

import type { Page } from 'playwright-core';
import type { Role } from '../../service/src/engine/ports.ts';
import type { TestClient } from '../../service/test/harness.ts';
import { type AccountTest, accountTest, type TestPerson } from './account-fixture.ts';
import type { ScreenOptions } from './watched-page.ts';

export type Merchant = TestClient;

function placesOf(test: AccountTest) {
  const block = (title: string) => test.page.getByRole('region', { name: title, exact: true });
  return {
    block,
    row: (title: string, text: string) => block(title).locator('.row', { hasText: text }),
    dialog: () => test.page.getByRole('dialog'),
    /** The page's message about what it has done. */
    news: () => test.page.getByRole('status').filter({ hasText: /./ }),
    answer: (name: string) =>
      test.page.getByRole('dialog').getByRole('button', { name, exact: true }).click(),
  };
}

/** Sets up one base for a test file. */
export function homeTest() {
  const test = accountTest();
  const openAs = test.openAs.bind(test);
  return Object.assign(test, placesOf(test), {
    async openAs(
      person: TestPerson,
      look: ScreenOptions & { minutesAgo?: number } = {},
    ): Promise<Page> {
      const page = await openAs(person, look);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      return page;
    },
    async merchantOf(
      name: string,
      people: readonly (readonly [TestPerson, Role])[],
    ): Promise<Merchant> {
      const merchant = await test.merchant(name);
      for (const [person, role] of people) await test.join(person, merchant, role);
      return merchant;
    },
  });
}
