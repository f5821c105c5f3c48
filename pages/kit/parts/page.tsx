// Frames of pages: the headline, one box in the middle, and what is shown while a page is read.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { navigationCount } from '../router.ts';

/** The page's headline and title. It takes the focus when the visitor has moved here within the pages. */
export function Headline({ children, title }: { children: ComponentChildren; title?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Set before the page is painted, so that the title is right as soon as the page is visible.
  useLayoutEffect(() => {
    document.title = title ?? heading.current?.textContent ?? 'Account';
    if (navigationCount.value > 0) heading.current?.focus();
  }, []);
  return (
    <h1 class="headline" tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}

/** One box in the middle, for signing in and consent. */
export const NarrowPage = ({ children }: { children: ComponentChildren }) => (
  <main class="page narrow">
    <div class="panel">{children}</div>
  </main>
);

export const Waiting = ({ text = 'Loading' }: { text?: string }) => (
  <main class="page narrow" aria-busy="true">
    <p class="unseen" role="status">
      {text}
    </p>
    <div class="panel" aria-hidden="true">
      <span class="bone bone-small" />
      <span class="bone" />
      <span class="bone bone-button" />
    </div>
  </main>
);
