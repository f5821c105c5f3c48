// What was done, announced by screen readers. The focus moves to it.

import { useLayoutEffect, useRef } from 'preact/hooks';

export function News({ text }: { text: string | null }) {
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (text) line.current?.focus();
  }, [text]);
  return (
    <p class={text ? 'news' : 'unseen'} role="status" tabIndex={-1} ref={line}>
      {text}
    </p>
  );
}
