import { describe, expect, it } from 'vitest';
import type { WebhookAnswer } from '../../engine/ports.ts';
import { verifyHandler } from './trigger-verify.ts';

const refused = {
  status: 400,
  error: 'http_400',
  excerpt: 'No signature matches. '.repeat(9),
  durationMs: 1,
} as WebhookAnswer;
const taken = { ...refused, status: 200, error: null, excerpt: 'thanks' } as WebhookAnswer;

async function verify(answers: WebhookAnswer[]) {
  let out = '';
  const code = await verifyHandler(
    { url: 'http://127.0.0.1:1', secret: 'svc_whsec_x' },
    {
      out: {
        write(text) {
          out += text;
        },
      },
      sendWebhook: async () => answers.shift() ?? refused,
    },
  );
  return { code, lines: out.trimEnd().split('\n') };
}

describe('what svc trigger --verify prints', () => {
  it('the verdict on a line, the words of a refusal beneath it in quotes, all within 100 columns', async () => {
    const { code, lines } = await verify([taken, refused, refused, refused]);
    expect(code).toBe(0);
    expect(lines[0]).toBe('ok     a well-signed event             200, must be taken (2xx)');
    expect(lines[1]).toBe('ok     a signature by another secret   400, must be refused (4xx)');
    expect(lines[2]).toMatch(/^ {7}“No signature matches\. .*…”$/);
    expect(lines).toHaveLength(7);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it.each([
    [500, 'http_500'],
    [302, 'redirect'],
    [200, null],
  ])('%i to what is forged: wrong, and exit code 1', async (status, error) => {
    const answer = { ...refused, status, error } as WebhookAnswer;
    const { code, lines } = await verify([taken, answer, refused, refused]);
    expect(code).toBe(1);
    expect(lines[1]).toBe(
      `WRONG  a signature by another secret   ${status}, must be refused (4xx)`,
    );
  });
});
