// Formats events and answers: one line each for people, or one JSON object per line for programs.
// Lines for people fit a terminal of 100 columns; when the terminal shows links, the id is one.

import type { Event } from '@svc/contract/events/events';
import { escapeControls } from '@svc/contract/servers/plain-text';
import { cutText } from '@svc/contract/values/characters';
import type { WebhookAnswer } from '../../engine/ports.ts';
import type { Surroundings } from '../line/command.ts';
import { drawText } from '../line/progress.ts';

export type EventLines = {
  event(event: Event): void;
  answer(event: Event, answer: WebhookAnswer): void;
  /** Prints a note for a person; programs get it separately from the lines. */
  note(text: string): void;
};

type Style = { readonly isJson: boolean; readonly apiUrl: string };

/** Longer types are cut: a line with one, an id and the longest kind of resource is 100 wide. */
const typeWidth = 30;
const lineWidth = 100;

export function eventLines(around: Pick<Surroundings, 'out' | 'err' | 'env'>, style: Style) {
  const { out, err, env } = around;
  const isColour = out.isTTY === true && !env.NO_COLOR && !style.isJson;
  const paintText = (code: number, given: string) => {
    const text = escapeControls(given);
    return isColour ? `\x1b[${code}m${text}\x1b[0m` : text;
  };
  const isLinked = isColour && showsLinks(env);
  const idOf = (event: Event) =>
    isLinked
      ? linkText(escapeControls(event.id), escapeControls(pageOf(style.apiUrl, event)))
      : escapeControls(event.id);
  const paintedTime = () => paintText(2, new Date().toISOString().slice(11, 19));
  const json = (line: object) => void out.write(`${JSON.stringify(line)}\n`);
  const lines: EventLines = {
    event(event) {
      const { id, type, resource } = event;
      const link = linkTo(style.apiUrl, event);
      if (style.isJson) return json({ kind: 'event', id, type, resource, link });
      const kind = escapeControls(resource.type);
      drawText(
        out,
        `${paintedTime()}  --> ${paintText(1, cutText(type, typeWidth, '…').padEnd(typeWidth))}  ${idOf(event)}  ${kind}\n`,
      );
    },
    answer(event, answer) {
      const { id, type } = event;
      const { status, error, excerpt, durationMs } = answer;
      if (style.isJson) {
        return json({ kind: 'answer', eventId: id, type, status, error, durationMs, excerpt });
      }
      const said = status === null ? (error ?? '') : String(status);
      const words =
        error !== null && excerpt ? ` ${quoteText(excerpt, typeWidth - said.length - 1)}` : '';
      const word = paintText(error === null ? 32 : 31, `${said}${words}`.padEnd(typeWidth));
      drawText(out, `${paintedTime()}  <-- ${word}  ${idOf(event)}  ${durationMs} ms\n`);
    },
    note: (text) => void drawText(style.isJson ? err : out, `${paintText(2, `> ${text}`)}\n`),
  };
  return lines;
}

/** Returns a line with the text of an answer, in quotes, cut to the width; empty when there is no text. */
export function answeredLine(excerpt: string | null, indent: number): string {
  if (!excerpt) return '';
  return `${' '.repeat(indent)}${quoteText(excerpt, lineWidth - indent)}\n`;
}

/** Returns text in quotes, cut to a width. */
function quoteText(text: string, width: number): string {
  return `“${cutText(text, width - 2, '…')}”`;
}

const knownToLink = /^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|WarpTerminal)$/;

/** Returns whether the terminal is known to show links (OSC 8); others may print the control codes. */
function showsLinks({ TERM = '', TERM_PROGRAM = '', ...env }: Surroundings['env']): boolean {
  if (knownToLink.test(TERM_PROGRAM) || /^(xterm-kitty|alacritty|foot)/.test(TERM)) return true;
  return Boolean(env.WT_SESSION) || Number(env.VTE_VERSION) >= 5000;
}

const linkText = (text: string, url: string) => `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`;

/** Returns the address of the page that shows the event to a person: payload, attempts, what to do. */
const pageOf = (apiUrl: string, { id, clientId }: Event): string =>
  `${apiUrl}/dashboard/${clientId}/developers/events/${id}`;

const linkTo = (apiUrl: string, { id }: Pick<Event, 'id'>): string => `${apiUrl}/v1/events/${id}`;
