// Blocks of a page, and the facts in them: names with their values.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { CopyButton } from './inputs.tsx';
import { insideBlock } from './states.tsx';

type BlockProps = {
  readonly title?: string | undefined;
  /** One or two sentences about the block and its purpose. */
  readonly intro?: ComponentChildren;
  /** True while it has nothing to show yet. */
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
};

export function Block({ title, intro, isBusy, children }: BlockProps) {
  const id = useId();
  return (
    <section class="block" aria-labelledby={title && id} aria-busy={isBusy}>
      {title && <h2 id={id}>{title}</h2>}
      {intro && <p class="block-intro">{intro}</p>}
      <insideBlock.Provider value={true}>{children}</insideBlock.Provider>
    </section>
  );
}

export type Fact = readonly [string, ComponentChildren];

/** Names and values; absent ones are left out. */
export const Pairs = ({ facts }: { facts: readonly (Fact | null)[] }) => (
  <dl class="pairs">
    {facts.map(
      (fact) =>
        fact && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
);

export const CopiedText = ({ text, about }: { text: string; about: string }) => (
  <span class="copied-fact">
    <code>{text}</code> <CopyButton text={text} about={about} />
  </span>
);
