// How events and answers look: one line each for people, or one JSON object a line for programs.
// Lines for people fit a terminal of 100 columns.

import { eventTypes } from '@svc/contract/events';
import type { Event } from '@svc/contract/events-api';
import type { WebhookAnswer } from '../operations/ports.ts';
import type { Surroundings } from './command.ts';

export type EventLines = {
  event(event: Event): void;
  answer(event: Event, answer: WebhookAnswer): void;
  /** What a person should know; programs read it apart from the lines. */
  note(text: string): void;
};

type Style = { readonly isJson: boolean; readonly apiUrl: string };

/** The longest type; a line with it, an id and the longest kind of resource is 100 wide. */
const typeWidth = Math.max(...eventTypes.map((type) => type.length));
const lineWidth = 100;

export function eventLines(around: Pick<Surroundings, 'out' | 'err' | 'env'>, style: Style) {
  const { out, err, env } = around;
  const isColour = out.isTTY === true && !env.NO_COLOR && !style.isJson;
  const paint = (code: number, text: string) => (isColour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const now = () => paint(2, new Date().toISOString().slice(11, 19));
  const json = (line: object) => void out.write(`${JSON.stringify(line)}\n`);
  const lines: EventLines = {
    event(event) {
      const { id, type, resource } = event;
      const link = linkTo(style.apiUrl, event);
      if (style.isJson) return json({ kind: 'event', id, type, resource, link });
      out.write(`${now()}  --> ${paint(1, type.padEnd(typeWidth))}  ${id}  ${resource.type}\n`);
    },
    answer({ id, type }, answer) {
      const { status, error, excerpt, durationMs } = answer;
      if (style.isJson) {
        return json({ kind: 'answer', eventId: id, type, status, error, durationMs, excerpt });
      }
      const said = status === null ? (error ?? '') : String(status);
      const word = paint(error === null ? 32 : 31, said.padEnd(typeWidth));
      out.write(`${now()}  <-- ${word}  ${id}  ${durationMs} ms\n`);
      if (error !== null) out.write(answeredLine(excerpt, 14));
    },
    note: (text) => void (style.isJson ? err : out).write(`${paint(2, `> ${text}`)}\n`),
  };
  return lines;
}

/** A line of its own with the words of an answer, in quotes, cut to the width; none for no words. */
export function answeredLine(excerpt: string | null, indent: number): string {
  if (!excerpt) return '';
  const most = lineWidth - indent - 2;
  const words = excerpt.length > most ? `${excerpt.slice(0, most - 1)}…` : excerpt;
  return `${' '.repeat(indent)}“${words}”\n`;
}

const linkTo = (apiUrl: string, { id }: Pick<Event, 'id'>): string => `${apiUrl}/v1/events/${id}`;
