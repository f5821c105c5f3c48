// Where the keyboard focus goes after a response.

/**
 * Focuses an element, unless the buyer is typing elsewhere: if the focus left the card form, the rest of a
 * card number would be typed into a field of this page.
 */
export function focusUnlessTyping(element: HTMLElement | null): void {
  const there = document.activeElement;
  const isTyping =
    there instanceof HTMLIFrameElement ||
    ((there instanceof HTMLInputElement || there instanceof HTMLSelectElement) &&
      there !== element);
  if (!isTyping) element?.focus();
}
