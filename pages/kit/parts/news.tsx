// What was done, announced by screen readers. The focus moves to it.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { begunActions } from '../begun-actions.ts';

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

type Told = { readonly text: string; readonly begun: number };

/**
 * The news of a page, and what tells some: the page is read `again` first, so that it shows what is told. The
 * news goes as soon as another action begins.
 */
export function useNews(again: () => Promise<unknown>) {
  const [told, setTold] = useState<Told | null>(null);
  const tell = async (text: string): Promise<void> => {
    // Emptied first, so that the same sentence is announced again.
    setTold(null);
    await again();
    setTold({ text, begun: begunActions.value });
  };
  return [told?.begun === begunActions.value ? told.text : null, tell] as const;
}
