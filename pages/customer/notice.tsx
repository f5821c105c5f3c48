// What was not done. It takes the focus, so that keyboard and screen reader continue there.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { AlertIcon } from '../kit/icons.tsx';

type NoticeProps = {
  /** New with each failure. */
  readonly trouble: object;
  readonly title: string | null;
  readonly text: string;
  readonly reference: string | null;
  /** The button that mends it, where there is one. */
  readonly children?: ComponentChildren;
};

export function Notice({ trouble, title, text, reference, children }: NoticeProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), [trouble]);
  return (
    <div class="notice" role="alert" tabIndex={-1} ref={box}>
      <AlertIcon />
      <div>
        {title && <strong>{title}</strong>}
        <p>{text}</p>
        {reference && <p class="fine">{reference}</p>}
        {children}
      </div>
    </div>
  );
}
