import { describe, expect, it } from 'vitest';
import { NeverSent } from './never-sent.ts';
import { assertStillToSend, sendUntil, waitForTurn } from './send-until.ts';

describe('sendUntil', () => {
  it('lets a request leave before its time, whatever was awaited, and not from then on', async () => {
    const sendUntilMs = (untilMs: number) =>
      sendUntil({ untilMs }, async () => {
        await Promise.resolve();
        assertStillToSend();
        return 'sent';
      });
    expect(await sendUntilMs(Date.now() + 60_000)).toBe('sent');
    await expect(sendUntilMs(Date.now())).rejects.toBeInstanceOf(NeverSent);
  });

  it('says nothing of what has no time', async () => {
    expect(() => assertStillToSend()).not.toThrow();
    await waitForTurn('GET', '/v1/events');
  });
});
