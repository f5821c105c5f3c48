// Tab stays in a dialog: from its last control to the first, and back. In Firefox the native dialog lets
// Tab out to the document, and from there to the last control again. APG, Dialog (Modal), Keyboard.

/** For the `keydown` events of `dialog`; a frame inside may be neither its first nor its last stop. */
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
