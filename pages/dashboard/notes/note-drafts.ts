// A note that is being written, kept in this tab until it is saved: a reload or a new sign-in loses
// nothing.

import type { NotedType } from '@svc/contract/dashboard/notes';

export type DraftPlace = {
  readonly clientId: string;
  readonly personId: string;
  readonly about: NotedType;
  readonly id: string;
};

const nameOf = ({ clientId, personId, about, id }: DraftPlace) =>
  `svc.note.${clientId}.${personId}.${about}.${id}`;

export function keptDraft(place: DraftPlace): string {
  try {
    return sessionStorage.getItem(nameOf(place)) ?? '';
  } catch {
    return '';
  }
}

export function keepDraft(place: DraftPlace, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(nameOf(place));
    else sessionStorage.setItem(nameOf(place), text);
  } catch {
    // sessionStorage is blocked or full; the draft then lasts as long as the page.
  }
}

export const dropDraft = (place: DraftPlace): void => keepDraft(place, '');
