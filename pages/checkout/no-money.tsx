// The line above a page where no real money moves: a sandbox, or test mode at the real provider.

import type { Texts } from './texts/index.ts';

export function NoMoney({ texts }: { texts: Pick<Texts, 'sandbox' | 'sandboxHint' | 'testMode'> }) {
  // The service marks the document of a page that it serves in test mode.
  const isTest = document.documentElement.dataset.mode === 'test';
  const name = isTest ? texts.testMode : texts.sandbox;
  return (
    <aside class="ribbon" aria-label={name}>
      <strong>{name}</strong> <span>{texts.sandboxHint}</span>
    </aside>
  );
}
