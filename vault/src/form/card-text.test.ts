import { findBrand } from '@svc/contract/vault/card-number';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  digitsOf,
  editCvc,
  editExpiry,
  editNumber,
  formatExpiry,
  groupNumber,
  parseExpiry,
} from './card-text.ts';

/** Types into a field as a browser does: `|` is the caret. */
const typed = (marked: string, previous = '', inputType = 'insertText') => {
  const caret = marked.indexOf('|');
  return { text: marked.replace('|', ''), caret, previous, inputType };
};
const shown = ({ text, caret }: { text: string; caret: number }) =>
  `${text.slice(0, caret)}|${text.slice(caret)}`;

describe('digitsOf', () => {
  it.each([
    ['4242-4242 4242.4242', '4242424242424242'],
    ['٤٢٤٢ ۴۲', '424242'],
    ['４２４２', '4242'],
    ['card: 4x2', '42'],
    ['', ''],
  ])('reads %j', (text, digits) => expect(digitsOf(text)).toBe(digits));
});

describe('groupNumber', () => {
  it.each([
    ['4242424242424242', '4242 4242 4242 4242'],
    ['378282246310005', '3782 822463 10005'],
    ['30569309025904', '3056 930902 5904'],
    ['6200000000000000003', '6200 0000 0000 0000 003'],
    ['42424', '4242 4'],
    ['55555555555544449', '5555 5555 5555 4444'],
    ['99999999999999999999999', '9999 9999 9999 9999 999'],
  ])('groups %s as %s', (digits, text) => expect(groupNumber(digits)).toBe(text));

  it('keeps every digit that fits, in order, without a space at the end', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{0,14}$/), (digits) => {
        const text = groupNumber(digits);
        expect(digitsOf(text)).toBe(digits);
        expect(text).toBe(text.trim());
      }),
    );
  });
});

describe('editNumber', () => {
  it('keeps the caret when a digit is typed in the middle', () => {
    expect(shown(editNumber(typed('42942| 4242 424')))).toBe('4294 2|424 2424');
  });

  it('puts the caret behind a digit that begins a new group', () => {
    expect(shown(editNumber(typed('42424|')))).toBe('4242 4|');
  });

  it('deletes the digit before a space that was deleted', () => {
    const edit = typed('4242|4242', '4242 4242', 'deleteContentBackward');
    expect(shown(editNumber(edit))).toBe('424|4 242');
  });

  it('deletes the digit behind a space that was deleted forwards', () => {
    const edit = typed('4242|1242', '4242 1242', 'deleteContentForward');
    expect(shown(editNumber(edit))).toBe('4242| 242');
  });

  it('strips anything from what is pasted', () => {
    const edit = typed('Nr. 4242/4242-4242 4242 (valid)|', '', 'insertFromPaste');
    expect(shown(editNumber(edit))).toBe('4242 4242 4242 4242|');
  });

  it('never loses or moves a digit, wherever one is typed', () => {
    const number = fc.stringMatching(/^9[0-9]{0,12}$/);
    fc.assert(
      fc.property(number, fc.nat(20), fc.integer({ min: 0, max: 9 }), (digits, at, digit) => {
        const text = groupNumber(digits);
        const caret = Math.min(at, text.length);
        const next = text.slice(0, caret) + digit + text.slice(caret);
        const edited = editNumber({ ...typed('|'), text: next, caret: caret + 1, previous: text });
        expect(digitsOf(edited.text)).toBe(digitsOf(next));
        expect(digitsOf(edited.text.slice(0, edited.caret))).toBe(
          digitsOf(next.slice(0, caret + 1)),
        );
      }),
    );
  });
});

describe('editCvc', () => {
  it('takes as many digits as the brand has', () => {
    expect(editCvc(typed('12345|'), findBrand('4')).text).toBe('123');
    expect(editCvc(typed('12345|'), findBrand('37')).text).toBe('1234');
    expect(editCvc(typed('12345|'), undefined).text).toBe('1234');
  });
});

describe('formatExpiry and parseExpiry', () => {
  it.each([
    ['1/27', 1, 2027],
    ['0127', 1, 2027],
    ['2027-01', 1, 2027],
    ['01/2027', 1, 2027],
    ['012027', 1, 2027],
    ['12 / 29', 12, 2029],
    ['٠١/٢٧', 1, 2027],
    ['9-30', 9, 2030],
  ])('reads %s', (text, month, year) => expect(parseExpiry(text)).toEqual({ month, year }));

  it.each(['', '1', '12', '12 / 2', '00 / 27', '13 / 28', '12 / 202', '12 / 202x'])(
    '%j is not complete',
    (text) => expect(parseExpiry(text)).toBe(undefined),
  );

  it.each([
    ['1', '1'],
    ['2', '02 / '],
    ['12', '12 / '],
    ['13', '01 / 3'],
    ['1/', '01 / '],
    ['12 / 2027', '12 / 27'],
    ['12 / 20', '12 / 20'],
    ['12 / 279', '12 / 27'],
    ['0', '0'],
  ])('shows %j as %j while it is typed', (text, expected) =>
    expect(formatExpiry(text)).toBe(expected),
  );

  it('steps back over its own separator', () => {
    const edit = typed('12 /|', '12 / ', 'deleteContentBackward');
    expect(shown(editExpiry(edit))).toBe('1|');
  });

  it('leaves what remains after a deletion alone', () => {
    const edit = typed('12 / |', '12 / 3', 'deleteContentBackward');
    expect(shown(editExpiry(edit))).toBe('12|');
  });

  it('survives any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(30), (text, at) => {
        const caret = Math.min(at, text.length);
        const edited = editExpiry({ text, caret, previous: '', inputType: 'insertText' });
        expect(edited.text.length).toBeLessThanOrEqual(9);
        expect(edited.caret).toBeLessThanOrEqual(edited.text.length);
      }),
    );
  });
});
