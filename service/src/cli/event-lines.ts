// How events and answers look: one line each for people, or one JSON object a line for programs.

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

const idWidth = 36;
const typeWidth = 28;

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
      const about = `${resource.type} ${resource.id}`;
      out.write(
        `${now()}  --> ${paint(1, type.padEnd(typeWidth))} ${id}  ${about}  ${paint(2, link)}\n`,
      );
    },
    answer({ id, type }, answer) {
      const { status, error, excerpt, durationMs } = answer;
      if (style.isJson) {
        return json({ kind: 'answer', eventId: id, type, status, error, durationMs, excerpt });
      }
      const said = status === null ? (error ?? '') : String(status);
      const word = paint(error === null ? 32 : 31, said.padEnd(typeWidth));
      const words = error !== null && excerpt !== null ? `  ${excerpt}` : '';
      out.write(`${now()}  <-- ${word} ${id.padEnd(idWidth)}  ${durationMs} ms${words}\n`);
    },
    note: (text) => void (style.isJson ? err : out).write(`${paint(2, `> ${text}`)}\n`),
  };
  return lines;
}

export const linkTo = (apiUrl: string, { id }: Pick<Event, 'id'>): string =>
  `${apiUrl}/v1/events/${id}`;
