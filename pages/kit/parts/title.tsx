// The headline of a page, and the window's title.

import type { ComponentChildren } from 'preact';
import { useMerchant } from '../merchant.ts';
import { modeName } from '../mode.ts';
import { Headline } from './page.tsx';

type TitleProps = {
  /** The window's title; the headline when it is absent. */
  readonly title?: string;
  readonly children: ComponentChildren;
};

/** A page's headline. The window's title begins with the mode when it is a sandbox. */
export function Title({ title, children }: TitleProps) {
  const { name, isSandbox } = useMerchant();
  const words = title ?? String(children);
  return (
    <Headline title={`${isSandbox ? `[${modeName()}] ` : ''}${words} · ${name}`}>
      {children}
    </Headline>
  );
}
