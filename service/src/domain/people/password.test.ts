import { describe, expect, it } from 'vitest';
import { isPasswordStrong, normalizePassword } from './password.ts';

const about = ['ada.lovelace@engines.example', 'Ada Lovelace'];
const isStrong = (password: string) => isPasswordStrong(password, about);

describe('isPasswordStrong', () => {
  it.each([
    'plinth vexing otter canal',
    'kT9$wq2!Lmz8',
    'tractor giraffe umbrella',
    'Ich glaube, es hagelt Enten',
    'многоэтажный берег реки',
    '東京の空は今日も青く澄んでいる',
    'x7Qp0vbN3rTw',
  ])('takes %s', (password) => {
    expect(isStrong(password)).toBe(true);
  });

  it.each([
    'short words',
    'password1234',
    'Password2024!',
    'P@ssw0rd2026!!',
    'passwordpassword',
    'qwertyuiop123',
    '1q2w3e4r5t6y',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    '123456789012',
    'abcdefghijkl',
    'zyxwvutsrqponm',
    'iloveyou2020!',
    'WelcomeAdmin1!',
    'correcthorsebatterystaple',
    'expectopatronum',
    'ada.lovelace@engines.example',
    'AdaLovelace1815',
    'svcpayments2026',
    'SunshineFootball99',
  ])('refuses %s', (password) => {
    expect(isStrong(password)).toBe(false);
  });

  it('counts characters, not units: 12 at least, 200 at most', () => {
    const twelve = 'xkqvwzjhbtpn';
    expect([...twelve]).toHaveLength(12);
    expect(isStrong(twelve)).toBe(true);
    expect(isStrong(twelve.slice(1))).toBe(false);
    expect(isStrong('🦊🐙🦉🐝🦀🐢')).toBe(false);
    expect(isStrong('🦊🐙🦉🐝🦀🐢🦊🦉🐙🐝🦕🐳')).toBe(true);
    const long = Array.from({ length: 200 }, (_, n) => String.fromCodePoint(0x4e00 + n * 7)).join(
      '',
    );
    expect(isStrong(long)).toBe(true);
    expect(isStrong(`${long}x`)).toBe(false);
  });

  it('answers long hostile texts at once', () => {
    const started = process.threadCpuUsage();
    for (const text of ['ab'.repeat(100), 'a'.repeat(200), 'aab'.repeat(66), 'x1'.repeat(99)]) {
      expect(isStrong(text)).toBe(false);
    }
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(500);
  });
});

describe('normalizePassword', () => {
  it('makes one text of two ways to type it', () => {
    expect(normalizePassword('cafe\u0301 ﬁn')).toBe(normalizePassword('café fin'));
  });
});
