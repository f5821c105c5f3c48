// Cells of CSV files, which people open in spreadsheets and programs read. RFC 4180; OWASP, CSV Injection.

/** What a spreadsheet evaluates, whoever typed it: full-width signs too, where it is Chinese, Japanese or Korean. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Quotes a cell with a comma, semicolon or tab: which one a spreadsheet splits at depends on its locale. */
export const quoteCell = (text: string): string =>
  /["\r\n\t,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The same for a spreadsheet, which reads no text as a formula. */
export const spreadsheetCell = (text: string): string =>
  quoteCell(formula.test(text) ? `'${text}` : text);
