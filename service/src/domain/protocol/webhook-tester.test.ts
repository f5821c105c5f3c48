import { describe, expect, it } from 'vitest';
import { isTesterUrl, testerUrl } from './webhook-tester.ts';

const baseUrl = 'http://localhost:4000/';
const key = 'Ab-_'.repeat(8);

describe('isTesterUrl', () => {
  it('knows what testerUrl makes', () => {
    expect(testerUrl(key, baseUrl)).toBe(`http://localhost:4000/webhook-tester/${key}`);
    expect(isTesterUrl(testerUrl(key, baseUrl), baseUrl)).toBe(true);
  });

  it.each([
    `http://localhost:4000/webhook-tester/${key}?x=1`,
    `http://localhost:4000/webhook-tester/${key}#x`,
    `http://localhost:4000/webhook-tester/${key}/`,
    `http://localhost:4000/webhook-tester/${key}\n`,
    `http://localhost:4000/webhook-tester/../v1/payments/${key}`,
    `http://localhost:4000//webhook-tester/${key}`,
    `http://localhost:4001/webhook-tester/${key}`,
    `https://localhost:4000/webhook-tester/${key}`,
    `http://127.0.0.1:4000/webhook-tester/${key}`,
    `http://localhost:4000@evil.example/webhook-tester/${key}`,
    `http://u:p@localhost:4000/webhook-tester/${key}`,
    `http://localhost:4000/webhook-tester/${key.slice(1)}`,
    `http://localhost:4000/webhook-tester/${key.slice(1)}/`,
    'http://localhost:4000/webhook-tester/',
    'http://localhost:4000/v1/payments',
  ])('knows no other spelling and no other place: %s', (url) => {
    expect(isTesterUrl(url, baseUrl)).toBe(false);
  });
});
