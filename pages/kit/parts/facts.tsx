// Blocks of a page, and the facts in them: names with their values.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { CopyButton } from './home-parts.tsx';

type BlockProps = { readonly title: string; readonly children: ComponentChildren };

export function Block({ title, children }: BlockProps) {
  const id = useId();
  return (
    <section class="block" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
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
