import { useLayoutEffect, useRef } from 'preact/hooks';

type NewsLineProps = {
  /** Another value with each act: the focus moves to the line then. */
  readonly news: object | string | null;
  readonly text: string | null;
  /** The class while there are news. */
  readonly look: string;
};

/** What was done. Always in the document, so that screen readers announce its changes. */
export function NewsLine({ news, text, look }: NewsLineProps) {
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (news) line.current?.focus();
  }, [news]);
  return (
    <p class={news ? look : 'unseen'} role="status" tabIndex={-1} ref={line}>
      {text}
    </p>
  );
}
