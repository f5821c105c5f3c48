// A section of a page: its content, what was done in it, and its errors.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { begunActions } from '../begun-actions.ts';
import type { Section } from '../section.ts';
import { Block } from './facts.tsx';
import { News } from './news.tsx';
import { Bones, Trouble } from './states.tsx';

type SectionBoxProps<T> = {
  readonly section: Section<T>;
  readonly title?: string;
  readonly intro?: ComponentChildren;
  /** Stays while the content is read anew, such as the filters by which it is read. */
  readonly bar?: ComponentChildren;
  readonly children: (content: T) => ComponentChildren;
};

/** A section that is read when it is first shown. */
export function SectionBox<T>({ section, title, intro, bar, children }: SectionBoxProps<T>) {
  useEffect(() => {
    if (section.content.value === null) void section.again();
  }, [section]);
  const begun = begunActions.value;
  useLayoutEffect(() => {
    // An action that began elsewhere, or was not sent because of what was typed.
    section.news.value = null;
  }, [begun]);
  const content = section.content.value;
  const failure = section.failure.value;
  return (
    <Block title={title} intro={intro} isBusy={content === null && !failure}>
      {bar}
      <News text={section.news.value?.text ?? null} />
      {failure && <Trouble failure={failure} hasFocus={content === null} onRetry={section.again} />}
      {content !== null ? children(content) : !failure && <Bones lines={2} />}
    </Block>
  );
}

/** Shows the section's error if it belongs to this place. */
export function TroubleAt<T>({ section, at }: { section: Section<T>; at: string }) {
  const trouble = section.trouble.value;
  return trouble?.at === at ? <Trouble failure={trouble.failure} hasFocus /> : null;
}
