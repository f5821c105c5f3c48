import { randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword, needsRehash, refuseWeakPassword, verifyPassword } from './password-hash.ts';

const ports = { randomBytes };
const verify = (password: string, stored: string | null, place?: string) =>
  verifyPassword(password, { stored, ports: {}, ...(place === undefined ? {} : { place }) });
const plainBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Returns a hash of a cost that takes almost no time. */
function hashCheaply(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 2 ** 4, r: 8, p: 1 });
  return `$scrypt$ln=4,r=8,p=1$${plainBase64(salt)}$${plainBase64(key)}`;
}

describe('hashPassword and verifyPassword', () => {
  it('know the password again in each of its forms, and no other', async () => {
    const stored = await hashPassword('cafe\u0301 au lait, bitte', ports);
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await verify('café au lait, bitte', stored)).toBe(true);
    expect(await verify('cafe au lait, bitte', stored)).toBe(false);
    expect(needsRehash(stored, {})).toBe(false);
    expect(needsRehash(hashCheaply('x'), {})).toBe(true);
  });

  it('store the same password differently each time', async () => {
    const [one, two] = [
      await hashPassword('the same', ports),
      await hashPassword('the same', ports),
    ];
    expect(one).not.toBe(two);
  });

  it('find nothing right where there is no password', async () => {
    expect(await verify('', null)).toBe(false);
  });

  it.each(['', 'plain', '$scrypt$ln=15,r=8,p=1$$', '$argon2id$v=19$m=1,t=1,p=1$YQ$YQ'])(
    'take %s for damage, not for a wrong password',
    async (stored) => {
      await expect(verify('x', stored)).rejects.toThrow('no scrypt string');
    },
  );

  it('503 service_unavailable for whom a crowd would keep waiting; the others are answered', async () => {
    const stored = hashCheaply('right');
    const asked = Array.from({ length: 80 }, (_, n) => verify('right', stored, `place ${n % 10}`));
    const answers = await Promise.allSettled(asked);
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(80 - 2 - 64);
    expect(refused[0]).toMatchObject({ reason: { code: 'service_unavailable' } });
    expect(await verify('right', stored)).toBe(true);
  });
});

describe('a crowd of one place', () => {
  it('503 service_unavailable beyond sixteen that wait; somebody elsewhere is next', async () => {
    const stored = await hashPassword('right', ports);
    // This work takes no time of its own, so several of them end in the order in which they began.
    const quick = hashCheaply('right');
    const order: string[] = [];
    const crowd = Array.from({ length: 40 }, () =>
      verify('wrong', stored, 'crowd').then(() => void order.push('crowd')),
    );
    const one = verify('right', quick, 'one').then(() => void order.push('one'));
    const outcomes = await Promise.allSettled([...crowd, one]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(40 - 2 - 16);
    expect(outcomes.at(-1)?.status).toBe('fulfilled');
    // The call comes after those that ran already and one more turn of the crowd.
    expect(order.indexOf('one')).toBeLessThanOrEqual(3);
  });
});

describe('refuseWeakPassword', () => {
  it('422 password_too_weak, without a word of the password', () => {
    const refuse = () => refuseWeakPassword('Password2024!', ['ada@x.example', null]);
    expect(refuse).toThrow(expect.objectContaining({ code: 'password_too_weak' }));
    expect(refuse).not.toThrow(/2024/);
    expect(() => refuseWeakPassword('plinth vexing otter', [null])).not.toThrow();
  });
});
