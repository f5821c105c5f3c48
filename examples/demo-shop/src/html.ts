// Text into HTML. Whatever is put into a template is escaped, unless it is itself a template.

class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

type Value = Html | string | number | null | undefined | false | readonly Html[];

/** A template whose every value is escaped; arrays of templates are joined, null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0] ?? '';
  values.forEach((value, i) => {
    text += write(value) + (strings[i + 1] ?? '');
  });
  return new Html(text);
}

function write(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeText(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
