// Keeps Tab inside a dialog: from its last control to the first, and back. In Firefox, Tab leaves a native
// dialog for the document. APG, Dialog (Modal), Keyboard.

/** Handles a `keydown` event of `dialog`. A frame must be neither the first nor the last control. */
export function keepTab(event: KeyboardEvent, dialog: HTMLElement): void {
  if (event.key !== 'Tab') return;
  const stops = [...dialog.querySelectorAll<HTMLElement>('a,button')].filter(
    (one) => one.offsetWidth,
  );
  const [from, to] = event.shiftKey ? [0, -1] : [-1, 0];
  if (event.composedPath()[0] !== stops.at(from)) return;
  event.preventDefault();
  stops.at(to)?.focus();
}
