// Small components of lists and pages.

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { timeLeftText, timeWords } from '../times.ts';
import type { Words } from '../words.ts';
import { serviceTime } from './sandbox-clock.tsx';
import { Time } from './time.tsx';

export const Tag = ({ words: { text, tone } }: { words: Words }) => (
  <span class={`tag ${tone}`}>{text}</span>
);

/** An instant in the merchant's time zone, or a dash. */
export const InstantText = ({ at }: { at: string | null }) =>
  at === null ? <>–</> : <Time at={at} />;

/** Returns `3 Dec 2026, 12:40 (in 7 days)`, without the distance once the time has passed. */
export function endWords(at: string, zone: string): string {
  const left = timeLeftText(at, serviceTime());
  return left === 'over' ? timeWords(at, zone) : `${timeWords(at, zone)} (${left})`;
}

type MenuProps = {
  readonly label: ComponentChildren;
  readonly name?: string;
  readonly class?: string;
  readonly children: (close: () => void) => ComponentChildren;
};

/** A button that opens a box below it. Escape, a press outside, and moving the focus out close the box. */
export function Menu({ label, name, children, class: looks = 'second' }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => {
    // The focus returns to the button only when it would otherwise be lost with the box.
    if (box.current?.contains(document.activeElement)) button.current?.focus();
    setOpen(false);
  };
  useWayOut(box, isOpen, { onEscape: close, onLeft: () => setOpen(false) });
  return (
    <div class="menu" ref={box}>
      <button
        type="button"
        ref={button}
        class={looks}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={name}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && (
        <div class="menu-box" id={id}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

type ExitHandlers = { readonly onEscape: () => void; readonly onLeft: () => void };

/** Reports Escape, a press outside the box, and the focus leaving the box. */
function useWayOut(
  box: RefObject<HTMLElement | null>,
  isOpen: boolean,
  { onEscape, onLeft }: ExitHandlers,
) {
  useEffect(() => {
    const own = box.current;
    if (!isOpen || !own) return;
    const isOutside = (target: EventTarget | null) => !own.contains(target as Node | null);
    const onPress = ({ target }: Event) => isOutside(target) && onLeft();
    const onFocus = ({ relatedTarget: to }: FocusEvent) => to && isOutside(to) && onLeft();
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onEscape();
    };
    document.addEventListener('pointerdown', onPress);
    own.addEventListener('focusout', onFocus);
    own.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onPress);
      own.removeEventListener('focusout', onFocus);
      own.removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
}
