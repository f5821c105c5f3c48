// What moves on a page while it loads, as Chromium counts it.

import type { Page } from 'playwright-core';

/** The most that the parts of a page may move in all. */
export const mostShift = 0.02;

export type Shift = { readonly value: number; readonly moved: readonly string[] };

/** Collects the layout shifts of each page that is opened from now on, with what moved. */
export const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const shifts: Shift[] = [];
    Object.assign(window, { shifts });
    type Entry = PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null }[];
    };
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Entry[]) {
        const moved = sources.map(({ node }) => node?.textContent?.slice(0, 60) ?? '');
        if (!hadRecentInput) shifts.push({ value, moved });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** The shifts of the shown page since it was opened. */
export const shiftsOn = (page: Page): Promise<readonly Shift[]> =>
  page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
