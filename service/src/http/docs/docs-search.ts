/** The entries of the reference: the page's own text, without a request. */
const entriesOfPage = `[
  ...[...document.querySelectorAll('main article[id]')].map((article) => ({
    href: '#' + article.id,
    title: article.querySelector('h3').textContent,
    note: article.querySelector('.call code')?.textContent ?? '',
    text: article.textContent,
  })),
  ...[...document.querySelectorAll('main article > h3[id]')].map((heading) => ({
    href: '#' + heading.id, title: heading.textContent, note: 'object', text: heading.textContent,
  })),
  ...[...document.querySelectorAll('tr[id^=error-]')].map((row) => ({
    href: '#' + row.id, title: row.id.slice(6), note: row.cells[1].textContent, text: row.textContent,
  })),
]`;

/**
 * The search of a document, as it runs in the browser. `entries` is the expression that reads what is searched, at the
 * first word. `/` focuses the field, the arrow keys move through the results, Escape clears it.
 */
const searchScript = (entries: string): string => `
const box = document.querySelector('.search');
const field = box.querySelector('input');
const found = box.querySelector('ul');
const said = box.querySelector('[role=status]');
const most = 20;

const plain = (text) => text.toLowerCase().replace(/\\s+/g, ' ').trim();
const readEntries = async () => (await ${entries}).map((entry) => ({
  ...entry,
  title: entry.title.replace(/\\s+/g, ' ').trim(),
  head: plain(entry.href + ' ' + entry.title + ' ' + entry.note),
  text: plain(entry.text),
}));
let reading;

/** Every word is there; in the heading counts before in the text, and a whole name before all. */
const rankOf = (entry, words) => {
  if (!words.every((word) => entry.head.includes(word) || entry.text.includes(word))) return 0;
  if (plain(entry.title) === words.join(' ')) return 3;
  return words.every((word) => entry.head.includes(word)) ? 2 : 1;
};

const search = async () => {
  const wanted = field.value;
  const words = plain(wanted).split(' ').filter(Boolean);
  if (words.length > 0) reading ??= readEntries().catch(() => (reading = undefined));
  const entries = words.length === 0 ? [] : await reading;
  if (!entries) {
    said.textContent = 'The search cannot be read now: try again.';
    return;
  }
  if (field.value !== wanted) return;
  const hits = entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank);
  found.replaceChildren(...hits.slice(0, most).map(({ entry }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = entry.href;
    const note = document.createElement('small');
    note.textContent = entry.note;
    link.append(entry.title + ' ', note);
    item.append(link);
    return item;
  }));
  said.textContent = words.length === 0 ? '' : hits.length + (hits.length === 1 ? ' entry' : ' entries')
    + (hits.length > most ? ', the first ' + most + ' are shown' : '');
};

field.addEventListener('input', search);
box.addEventListener('submit', (event) => {
  event.preventDefault();
  found.querySelector('a')?.click();
});
box.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    field.value = '';
    search();
    field.focus();
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops = [field, ...found.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
  event.preventDefault();
  stops[Math.max(0, Math.min(stops.length - 1, at))].focus();
});
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});
box.hidden = false;
`;

export const docsSearch: string = searchScript(entriesOfPage);
export const guidesSearch: string = searchScript(
  "fetch('/guides/search.json').then((answer) => answer.json())",
);
