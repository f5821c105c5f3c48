// Cells of CSV files, which people open in spreadsheets and programs read. RFC 4180; OWASP, CSV Injection.

/** Beginnings that a spreadsheet reads as a formula. Chinese, Japanese and Korean ones read full-width signs too. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Quotes cells with a comma, semicolon or tab, because the separator of a spreadsheet depends on its locale. */
export const quoteCell = (text: string): string =>
  /["\r\n\t,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The same for a spreadsheet, which reads no text as a formula. */
export const spreadsheetCell = (text: string): string =>
  quoteCell(formula.test(text) ? `'${text}` : text);
