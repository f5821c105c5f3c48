// Days and times of day as people write them, in the merchant's time zone: `yesterday`, `27.11.2026`, `27 Nov`,
// `evening`, `around 14:30`. Additions §2, Search.

import {
  checkedDay,
  type Day,
  dayOf,
  daysFrom,
  instantAt,
  readDay,
} from '@svc/contract/values/zone-days';

/** Whole days, both included. */
export type Days = { readonly first: Day; readonly last: Day };
/** Minutes of a day; above 1440 those of the day after. */
export type Hours = { readonly from: number; readonly until: number };
/** From the first instant up to, but not including, the last one. */
export type Span = { readonly fromMs: number; readonly untilMs: number; readonly words: string };

const dayMinutes = 24 * 60;

const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '');

/** The number of each month by its name and the name's short form, in the languages of the checkout page. */
const months = new Map<string, number>(
  ['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt'].flatMap((language) =>
    (['long', 'short'] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { day: 'numeric', month, timeZone: 'UTC' });
      return Array.from({ length: 12 }, (_, at) => {
        const parts = format.formatToParts(Date.UTC(2026, at, 1));
        return [fold(parts.find(({ type }) => type === 'month')?.value ?? ''), at + 1] as const;
      });
    }),
  ),
);
const monthOf = (name: string): number | undefined =>
  months.get(fold(name)) ?? (fold(name) === 'sept' ? 9 : undefined);

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const one = (day: Day): Days => ({ first: day, last: day });
const monthDays = (year: number, month: number): Days => {
  const first = daysFrom({ year, month, day: 1 }, 0);
  return { first, last: daysFrom({ ...first, month: first.month + 1, day: 0 }, 0) };
};
const weekdayOf = ({ year, month, day }: Day): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay();
const isAfter = (day: Day, than: Day): boolean =>
  Date.UTC(day.year, day.month - 1, day.day) > Date.UTC(than.year, than.month - 1, than.day);

const named: Readonly<Record<string, (today: Day) => Days>> = {
  today: (today) => one(today),
  yesterday: (today) => one(daysFrom(today, -1)),
  'the day before yesterday': (today) => one(daysFrom(today, -2)),
  'day before yesterday': (today) => one(daysFrom(today, -2)),
  'last 7 days': (today) => ({ first: daysFrom(today, -6), last: today }),
  'last 30 days': (today) => ({ first: daysFrom(today, -29), last: today }),
  'this week': (today) => ({ first: daysFrom(today, -((weekdayOf(today) + 6) % 7)), last: today }),
  'last week': (today) => {
    const monday = daysFrom(today, -((weekdayOf(today) + 6) % 7) - 7);
    return { first: monday, last: daysFrom(monday, 6) };
  },
  'this month': ({ year, month }) => monthDays(year, month),
  'last month': ({ year, month }) => monthDays(year, month - 1),
  'this year': ({ year }) => ({
    first: { year, month: 1, day: 1 },
    last: { year, month: 12, day: 31 },
  }),
};

/** The newest such day that has begun, where no year is written. */
function dated(
  month: number | undefined,
  day: number,
  year: string | undefined,
  today: Day,
): Days[] {
  if (month === undefined) return [];
  if (year !== undefined) {
    const found = checkedDay(Number(year) + (year.length === 2 ? 2000 : 0), month, day);
    return found ? [one(found)] : [];
  }
  // 29 February has been within the last eight years.
  for (let back = 0; back <= 8; back++) {
    const found = checkedDay(today.year - back, month, day);
    if (found && !isAfter(found, today)) return [one(found)];
  }
  return [];
}

// After a blank, two digits may be an hour.
const dotted = /^(\d{1,2})\.\s?(\d{1,2})(?:\.|\.(\d{2})|\.\s?(\d{4}))?$/;
const slashed = /^(\d{1,2})([/-])(\d{1,2})(?:\2(\d{4}|\d{2}))?$/;
const dayFirst = /^(\d{1,2})(?:\.|st|nd|rd|th)?(?: of)? ?([\p{L}.]{3,})(?: (\d{4}))?$/u;
const monthFirst = /^([\p{L}.]{3,}) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?$/u;
const monthAlone = /^([\p{L}.]{3,})(?: (\d{4}))?$/u;

/** Returns every day or range of days that the words may mean; none for other words. */
export function readDays(text: string, today: Day): readonly Days[] {
  const words = text.toLowerCase();
  const known = Object.hasOwn(named, words) ? named[words] : undefined;
  if (known) return [known(today)];
  const [, ago] = /^(\d{1,3}) days ago$/.exec(words) ?? [];
  if (ago) return [one(daysFrom(today, -Number(ago)))];
  const weekday = weekdays.indexOf(words.replace(/^last /, ''));
  if (weekday >= 0) {
    const back = (weekdayOf(today) - weekday + 7) % 7;
    return [one(daysFrom(today, -(back === 0 && words.startsWith('last ') ? 7 : back)))];
  }
  return readWritten(words, today);
}

function readWritten(words: string, today: Day): readonly Days[] {
  const [first = '', last] = words.split('..', 2).map((each) => each.trim());
  const [from, until] = [readDay(first), readDay(last ?? first)];
  if (from && until) return isAfter(from, until) ? [] : [{ first: from, last: until }];
  const dots = dotted.exec(words);
  if (dots) return dated(Number(dots[2]), Number(dots[1]), dots[3] ?? dots[4], today);
  const [, a, , b, written] = slashed.exec(words) ?? [];
  if (a && b) {
    // 05/06 is in June where days come first, in May where months do.
    const ways = [dated(Number(b), Number(a), written, today)];
    if (a !== b) ways.push(dated(Number(a), Number(b), written, today));
    return ways.flat();
  }
  const [, day, month = '', ofYear] = dayFirst.exec(words) ?? [];
  if (day) return dated(monthOf(month), Number(day), ofYear, today);
  const [, name = '', number, year] = monthFirst.exec(words) ?? [];
  if (number) return dated(monthOf(name), Number(number), year, today);
  return readMonth(words, today);
}

function readMonth(words: string, today: Day): readonly Days[] {
  const [, name = '', written] = monthAlone.exec(words) ?? [];
  const month = monthOf(name);
  if (month === undefined) return [];
  const isAhead = month > today.month;
  return [monthDays(written ? Number(written) : today.year - (isAhead ? 1 : 0), month)];
}

const partsOfDay: Readonly<Record<string, Hours>> = {
  morning: { from: 6 * 60, until: 12 * 60 },
  noon: { from: 11 * 60, until: 13 * 60 },
  midday: { from: 11 * 60, until: 13 * 60 },
  afternoon: { from: 12 * 60, until: 18 * 60 },
  evening: { from: 18 * 60, until: dayMinutes },
  night: { from: 21 * 60, until: dayMinutes + 6 * 60 },
};

const clock = String.raw`(\d{1,2})(?::([0-5]\d))? ?(am|pm|h|uhr)?`;
const clockAlone = new RegExp(`^(?:(after|since|from|before|until) )?${clock}$`);
const clocks = new RegExp(`^${clock} ?(?:-|–|to|until) ?${clock}$`);

/** Null for a number that is no time: neither minutes nor a word tell that it is one. */
function minuteOf(
  hour: string,
  minutes: string | undefined,
  word: string | undefined,
): number | null {
  if (minutes === undefined && word === undefined) return null;
  const isTwelve = word === 'am' || word === 'pm';
  const hours = Number(hour);
  if (hours > (isTwelve ? 12 : 24) || (isTwelve && hours === 0)) return null;
  const whole = isTwelve ? (hours % 12) + (word === 'pm' ? 12 : 0) : hours;
  const minute = whole * 60 + Number(minutes ?? 0);
  return minute > dayMinutes ? null : minute;
}

/** How far around a time of the clock a payment may be. */
const around = 30;

/** Returns the time of day that the words mean: a part of the day, hours, or half an hour before and after a time. */
export function readHours(text: string): Hours | null {
  const words = text.toLowerCase();
  const part = Object.hasOwn(partsOfDay, words) ? partsOfDay[words] : undefined;
  if (part) return part;
  const two = clocks.exec(words);
  if (two) {
    const [, first = '', firstMinutes, firstWord, last = '', lastMinutes, lastWord] = two;
    const until = minuteOf(last, lastMinutes, lastWord ?? firstWord);
    const from = minuteOf(
      first,
      firstMinutes ?? (until === null ? undefined : '00'),
      firstWord ?? lastWord,
    );
    if (from === null || until === null || from === until) return null;
    return { from, until: until < from ? until + dayMinutes : until };
  }
  const [, side, hour = '', minutes, word] = clockAlone.exec(words) ?? [];
  const at = minuteOf(hour, minutes, word);
  if (at === null) return null;
  if (side === 'before' || side === 'until') return at === 0 ? null : { from: 0, until: at };
  if (side) return at === dayMinutes ? null : { from: at, until: dayMinutes };
  return { from: Math.max(0, at - around), until: at + around };
}

/** Days that are named together with a time of theirs. */
const together: Readonly<Record<string, readonly [days: string, hours: string]>> = {
  tonight: ['today', 'evening'],
  'this morning': ['today', 'morning'],
  'this afternoon': ['today', 'afternoon'],
  'this evening': ['today', 'evening'],
  'last evening': ['yesterday', 'evening'],
  'last night': ['yesterday', 'night'],
};

/** Returns both parts of words such as `last night`. */
export function readTogether(text: string, today: Day): { days: Days; hours: Hours } | null {
  const words = text.toLowerCase();
  const [dayWords, hourWords] = (Object.hasOwn(together, words) && together[words]) || [];
  const [days] = dayWords ? readDays(dayWords, today) : [];
  const hours = hourWords ? readHours(hourWords) : null;
  return days && hours ? { days, hours } : null;
}

const written = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const dayWords = ({ year, month, day }: Day): string =>
  written.format(Date.UTC(year, month - 1, day));
const minuteWords = (minute: number): string =>
  `${String(Math.floor(minute / 60) % 24).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const hourWords = ({ from, until }: Hours): string =>
  `${minuteWords(from)} to ${until === dayMinutes ? '24:00' : minuteWords(until)}${until > dayMinutes ? ' of the day after' : ''}`;

/** Returns the instants of the days, or of a time of one day. A time of several days is none: null. */
export function spanOf(days: Days, hours: Hours | null, zone: string): Span | null {
  const { first, last } = days;
  const isOne = dayWords(first) === dayWords(last);
  if (hours && !isOne) return null;
  const said = isOne ? dayWords(first) : `${dayWords(first)} to ${dayWords(last)}`;
  return {
    fromMs: instantAt(first, hours?.from ?? 0, zone),
    untilMs: instantAt(hours ? first : last, hours?.until ?? dayMinutes, zone),
    words: `${hours ? `${said}, ${hourWords(hours)}` : said} (${zone})`,
  };
}

/** Returns the newest such time that has begun: of today, or else of yesterday. */
export function newestSpan(hours: Hours, zone: string, now: number): Span | null {
  const today = dayOf(now, zone);
  const isAhead = instantAt(today, hours.from, zone) > now;
  return spanOf(one(isAhead ? daysFrom(today, -1) : today), hours, zone);
}
