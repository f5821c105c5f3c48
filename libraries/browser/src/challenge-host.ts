// Where the dialog stands in the merchant's page: in the container of the card form. A modal of the page
// takes every press, key and focus outside of itself for a wish to close it; inside of it the dialog is
// its own. What happens in the dialog the page does not hear.

import { keepTab } from './keep-tab.ts';

/** Marks the frame of a card form, also in a copy of the page. */
const formMark = 'data-svc-card-form';

const pointing = 'pointerdown pointerup mousedown mouseup click dblclick touchstart touchend';
const heardByPages = `${pointing} contextmenu focusin focusout`.split(' ');
const keys = ['keydown', 'keypress', 'keyup'] as const;

const containerOf = (given: Element | null | undefined): Element =>
  given ?? document.querySelector(`iframe[${formMark}]`)?.parentElement ?? document.body;

export type Hosted = {
  /** Opens the dialog over everything. */
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
  // By property, as a style attribute would be refused; no rule of the page may hide or place it.
  host.style.setProperty('all', 'initial', 'important');
  host.style.setProperty('position', 'absolute', 'important');
  const root = host.attachShadow({ mode: 'open' });
  dress(root);
  root.append(dialog);
  for (const type of heardByPages) host.addEventListener(type, (event) => event.stopPropagation());
  // At the window, before the page: a modal hears Escape at the document, while it is captured.
  const onKey = (event: KeyboardEvent) => {
    const isEscape = event.key === 'Escape';
    if (!isEscape && !event.composedPath().includes(dialog)) return;
    event.stopImmediatePropagation();
    if (isEscape) event.preventDefault();
    if (event.type !== 'keydown') return;
    if (isEscape) onEscape();
    else keepTab(event, dialog);
  };
  const open = (place: Element) => {
    dialog.open = false;
    place.append(host);
    dialog.showModal();
  };
  // A container that is hidden or taken out of the page must not take the bank's question along.
  const watch = new ResizeObserver(() => {
    if (dialog.open && !dialog.offsetWidth) open(document.body);
  });
  return {
    show: () => {
      for (const type of keys) addEventListener(type, onKey, true);
      open(containerOf(container));
      if (!dialog.offsetWidth) open(document.body);
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
