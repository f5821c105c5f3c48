// The news of a page of the account or the dashboard.

import { useState } from 'preact/hooks';
import { begunActions } from '../begun-actions.ts';
import { NewsLine } from './news-line.tsx';

export const News = ({ text }: { text: string | null }) => (
  <NewsLine news={text} text={text} look="news" />
);

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
