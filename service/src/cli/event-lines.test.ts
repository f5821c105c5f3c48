import { eventTypes } from '@svc/contract/events';
import type { Event } from '@svc/contract/events-api';
import { describe, expect, it } from 'vitest';
import { eventLines } from './event-lines.ts';

const resourceType = 'webhook_endpoint';

function linesOf(print: (lines: ReturnType<typeof eventLines>) => void): string[] {
  let text = '';
  const out = {
    write(more: string) {
      text += more;
    },
  };
  print(eventLines({ out, err: out, env: {} }, { isJson: false, apiUrl: 'http://localhost:4000' }));
  return text.trimEnd().split('\n');
}

const event = (type: string) =>
  ({
    type,
    id: `evt_${'0'.repeat(32)}`,
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
    expect(lines).toHaveLength(eventTypes.length * 4);
    expect(Math.max(...lines.map((line) => line.length))).toBe(100);
    const withId = lines.filter((line) => line.includes('evt_'));
    expect(new Set(withId.map((line) => line.indexOf('evt_'))).size).toBe(1);
    expect(withId).toHaveLength(eventTypes.length * 3);
  });

  it('tell the words of a refusal beneath it, those of a success not', () => {
    const answer = { status: 400, error: 'http_400', excerpt: 'bad signature', durationMs: 1 };
    const taken = { status: 200, error: null, excerpt: 'thanks', durationMs: 1 };
    const lines = linesOf((to) => {
      to.answer(event('item.purchased'), answer as Parameters<typeof to.answer>[1]);
      to.answer(event('item.purchased'), taken as Parameters<typeof to.answer>[1]);
    });
    expect(lines).toHaveLength(3);
    expect(lines[1]?.trim()).toBe('“bad signature”');
    expect(lines[2]).toContain('<-- 200');
  });
});
