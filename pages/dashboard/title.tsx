// The headline of a page, and the window's title.

import type { ComponentChildren } from 'preact';
import { modeName } from '../account/home-frame.tsx';
import { Headline } from '../account/parts.tsx';
import { useMerchant } from './merchant.ts';

type TitleProps = {
  /** Of the window; the headline where it is absent. */
  readonly title?: string;
  readonly children: ComponentChildren;
};

/** A page's headline; the window's title says first whether it is a sandbox. */
export function Title({ title, children }: TitleProps) {
  const { name, isSandbox } = useMerchant();
  const words = title ?? String(children);
  return (
    <Headline title={`${isSandbox ? `[${modeName()}] ` : ''}${words} · ${name}`}>
      {children}
    </Headline>
  );
}
