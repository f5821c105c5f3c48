// Where the keyboard goes on once an answer has come.

/**
 * Focuses an element, unless the buyer has gone on to type elsewhere meanwhile: taken back from the
 * card form, a card number would land in a field of this page.
 */
export function focusUnlessTyping(element: HTMLElement | null): void {
  const there = document.activeElement;
  const isTyping =
    there instanceof HTMLIFrameElement ||
    ((there instanceof HTMLInputElement || there instanceof HTMLSelectElement) &&
      there !== element);
  if (!isTyping) element?.focus();
}
