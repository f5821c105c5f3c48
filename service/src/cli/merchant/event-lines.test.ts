import type { Event } from '@svc/contract/events/events';
import { eventTypes } from '@svc/contract/rows/event-types';
import { describe, expect, it } from 'vitest';
import { eventLines } from './event-lines.ts';

const resourceType = 'webhook_endpoint';

type Lines = ReturnType<typeof eventLines>;

/** Prints to a terminal when an environment is given, otherwise to a file. */
function linesOf(print: (lines: Lines) => void, env?: Record<string, string>): string[] {
  let text = '';
  const out = {
    isTTY: env !== undefined,
    write(more: string) {
      text += more;
    },
  };
  const style = { isJson: false, apiUrl: 'http://localhost:4000' };
  print(eventLines({ out, err: out, env: env ?? {} }, style));
  return text.trimEnd().split('\n');
}

const event = (type: string) =>
  ({
    type,
    id: `evt_${'0'.repeat(32)}`,
    clientId: '01900000-0000-7000-8000-000000000002',
    resource: { type: resourceType, id: 'r', version: 1 },
  }) as Event;

describe('lines of events and answers', () => {
  it('stand in columns and fit a terminal of 100, whatever the type and the answer', () => {
    const refused = {
      status: 500,
      error: 'http_500',
      excerpt: 'x'.repeat(200),
      durationMs: 14_999,
    };
    const failed = { status: null, error: 'connection_refused', excerpt: null, durationMs: 15_000 };
    const lines = linesOf((to) => {
      for (const type of eventTypes) {
        to.event(event(type));
        to.answer(event(type), refused as Parameters<typeof to.answer>[1]);
        to.answer(event(type), failed as Parameters<typeof to.answer>[1]);
      }
    });
    expect(lines).toHaveLength(eventTypes.length * 3);
    expect(Math.max(...lines.map((line) => line.length))).toBe(100);
    expect(new Set(lines.map((line) => line.indexOf('evt_'))).size).toBe(1);
  });

  it('tell the words of a refusal in its line, cut, and those of a success not', () => {
    const answer = { status: 400, error: 'http_400', excerpt: 'bad signature', durationMs: 1 };
    const taken = { status: 200, error: null, excerpt: 'thanks', durationMs: 1 };
    const long = { ...answer, excerpt: 'the signature does not match what was sent' };
    const lines = linesOf((to) => {
      for (const one of [answer, taken, long]) {
        to.answer(event('item.purchased'), one as Parameters<typeof to.answer>[1]);
      }
    });
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('<-- 400 “bad signature”   ');
    expect(lines[1]).toMatch(/<-- 200 +evt_/);
    expect(lines[2]).toMatch(/<-- 400 “the signature does [^“”]*…” {2}evt_/);
  });

  it('have the id as a link to the page of the event, where a terminal shows links', () => {
    const print = (to: Lines) => {
      to.event(event('item.purchased'));
      to.answer(event('item.purchased'), { status: 200 } as Parameters<typeof to.answer>[1]);
    };
    const { id, clientId } = event('item.purchased');
    const page = `http://localhost:4000/dashboard/${clientId}/developers/events/${id}`;
    const link = `\x1b]8;;${page}\x1b\\${id}\x1b]8;;\x1b\\`;
    for (const env of [
      { TERM_PROGRAM: 'vscode' },
      { WT_SESSION: 'a' },
      { VTE_VERSION: '7006' },
      { TERM: 'xterm-kitty' },
    ]) {
      const lines = linesOf(print, env);
      expect(
        lines.map((line) => line.includes(link)),
        JSON.stringify(env),
      ).toEqual([true, true]);
    }
    for (const env of [undefined, {}, { TERM: 'xterm' }, { WT_SESSION: 'a', NO_COLOR: '1' }]) {
      expect(linesOf(print, env).join()).not.toContain(']8;;');
    }
  });
});
