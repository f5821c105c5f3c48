// Keyboard shortcuts of every page. Single letters work only outside fields and can be switched off: WCAG
// 2.1.4.

import { type Signal, signal } from '@preact/signals';
import { addressOf, parts, type TopPart, topParts } from '../../kit/addresses.ts';
import { goTo, place } from '../../kit/router.ts';

export const isHelpOpen: Signal<boolean> = signal(false);
/** The search box of the current page. */
export const searchBox: Signal<HTMLInputElement | null> = signal(null);

/** The box for a new note on the current page. */
export const noteBox: Signal<HTMLTextAreaElement | null> = signal(null);

let beforeSearch: HTMLElement | null = null;

/** Moves the focus to the search box. `leaveSearch` returns it. */
function enterSearch(): boolean {
  const input = searchBox.value;
  if (!input) return false;
  if (document.activeElement !== input) {
    beforeSearch = document.activeElement as HTMLElement | null;
  }
  input.focus();
  input.select();
  return true;
}

export function leaveSearch(): void {
  searchBox.value?.blur();
  beforeSearch?.focus();
}

const offKey = 'svc.dashboard.keys';

function readOff(): boolean {
  try {
    return localStorage.getItem(offKey) === 'off';
  } catch {
    return false;
  }
}

/** True when the reader has switched single-letter shortcuts off in this browser. */
export const areKeysOff: Signal<boolean> = signal(readOff());

export function switchKeys(isOff: boolean): void {
  areKeysOff.value = isOff;
  try {
    if (isOff) localStorage.setItem(offKey, 'off');
    else localStorage.removeItem(offKey);
  } catch {
    // The choice then lasts only for this page.
  }
}

/** The parts to go to with `g` and a letter. */
export const jumps: ReadonlyMap<string, TopPart> = new Map(
  topParts.flatMap((part) => (parts[part].key ? [[parts[part].key, part] as const] : [])),
);

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

let isGoing = false;

function handleLetter(key: string): boolean {
  const wasGoing = isGoing;
  isGoing = false;
  const part = jumps.get(key);
  const [, clientId] = place.value.split('/').filter(Boolean);
  if (wasGoing && part && clientId) {
    goTo(addressOf(clientId, part));
    return true;
  }
  if (key === 'g') {
    isGoing = true;
    return true;
  }
  if (key === '/') return enterSearch();
  if (key === '?') {
    isHelpOpen.value = true;
    return true;
  }
  if (key === 'n') return enterNote();
  if (key === 'j' || key === 'k') return moveInList(key === 'j' ? 1 : -1);
  return false;
}

function enterNote(): boolean {
  noteBox.value?.focus();
  return noteBox.value !== null;
}

/** Moves the focus to the next or previous row of the list. */
function moveInList(by: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('a.row-link, .audit .opener')];
  if (links.length === 0) return false;
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
  return true;
}

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    const isSearch = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (isSearch && !document.querySelector('dialog[open]') && enterSearch()) {
      event.preventDefault();
      return;
    }
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (hasModifier || event.defaultPrevented || areKeysOff.value) return;
    if (isField(event.target) || document.querySelector('dialog[open]')) return;
    if (handleLetter(event.key)) event.preventDefault();
  });
}
