// What was done, announced by screen readers. The focus moves to it.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

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

/** The news of a page, and what tells some: the page is read `again` first, so that it shows what is told. */
export function useNews(again: () => Promise<unknown>) {
  const [text, setText] = useState<string | null>(null);
  const tell = async (said: string): Promise<void> => {
    // Emptied first, so that the same sentence is announced again.
    setText(null);
    await again();
    setText(said);
  };
  return [text, tell] as const;
}
