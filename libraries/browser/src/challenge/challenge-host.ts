// Places the dialog inside the container of the card form. A modal of the merchant's page may treat every
// click, key press and focus outside itself as a reason to close; inside it the dialog counts as its own.
// The page receives no events from within the dialog.

import { keepTab } from './keep-tab.ts';

/** Marks the frame of a card form, also in a copy of the page. */
const formMark = 'data-svc-card-form';

const pointing = 'pointerdown pointerup mousedown mouseup click dblclick touchstart touchend';
const heardByPages = `${pointing} contextmenu focusin focusout`.split(' ');
const keys = ['keydown', 'keypress', 'keyup'] as const;

const containerOf = (given: Element | null | undefined): Element =>
  given ?? document.querySelector(`iframe[${formMark}]`)?.parentElement ?? document.body;

export type Hosted = {
  /** Opens the dialog on top of the page. */
  show(): void;
  remove(): void;
};

/** Puts a dialog into `container`, or into the page's body where the container is not shown. */
export function hostDialog(
  dialog: HTMLDialogElement,
  container: Element | null | undefined,
  { dress, onEscape }: { dress: (root: ShadowRoot) => void; onEscape: () => void },
): Hosted {
  const host = document.createElement('div');
  // Set by property, because a strict policy refuses a style attribute. Important, so that no rule of the
  // page hides or moves the host.
  host.style.setProperty('all', 'initial', 'important');
  host.style.setProperty('position', 'absolute', 'important');
  const root = host.attachShadow({ mode: 'open' });
  dress(root);
  root.append(dialog);
  for (const type of heardByPages) host.addEventListener(type, (event) => event.stopPropagation());
  // Listens on the window in the capture phase, before the page: modals often listen for Escape on the
  // document.
  const onKey = (event: KeyboardEvent) => {
    const isEscape = event.key === 'Escape';
    if (!isEscape && !event.composedPath().includes(dialog)) return;
    event.stopImmediatePropagation();
    if (isEscape) event.preventDefault();
    if (event.type !== 'keydown') return;
    if (isEscape) onEscape();
    else keepTab(event, dialog);
  };
  const openAt = (place: Element) => {
    dialog.open = false;
    place.append(host);
    dialog.showModal();
  };
  // When the container is hidden or removed, the dialog moves to the body and stays visible.
  const watch = new ResizeObserver(() => {
    if (dialog.open && !dialog.offsetWidth) openAt(document.body);
  });
  return {
    show: () => {
      for (const type of keys) addEventListener(type, onKey, true);
      openAt(containerOf(container));
      if (!dialog.offsetWidth) openAt(document.body);
      watch.observe(dialog);
    },
    remove: () => {
      watch.disconnect();
      for (const type of keys) removeEventListener(type, onKey, true);
      dialog.close();
      host.remove();
    },
  };
}
