// Tests that need something that WebDriver BiDi lacks in Firefox, or that check Chromium's own
// messages. Every other test that fails in Firefox is our fault.

const noDevtools = 'axe is brought into the page by Chromium’s devtools';
const noScheme = 'the colour scheme cannot be changed by WebDriver BiDi';

export type Exception = {
  /** A part of the test's title. */
  readonly title: string;
  /** The folder whose tests it is about; everywhere when absent. */
  readonly within?: string;
  readonly why: string;
};

export const exceptions: readonly Exception[] = [
  { title: 'in each look', why: noDevtools },
  { title: 'finds in the other looks what they alone show', why: noDevtools },
  { title: 'finds what is planted', why: noDevtools },
  {
    title: 'nothing for axe to find',
    within: 'libraries/browser',
    why: 'axe takes the shorthand `all` for spacing set inline',
  },
  {
    title: 'nothing for axe to find',
    within: 'pages/checkout',
    why: 'axe takes the shorthand `all` for spacing set inline',
  },
  { title: 'with theme auto follows the reader', why: noScheme },
  { title: 'follows the colours of the page when they change', why: noScheme },
  {
    title: 'takes the colours of the page when these change, once no sheet is open',
    why: noScheme,
  },
  {
    title: 'on paper is the month alone',
    why: 'styles for paper cannot be chosen by WebDriver BiDi',
  },
  {
    title: 'shows the background of the page through',
    why: 'a picture is taken with a style inline, which the page’s policy refuses in Firefox',
  },
  {
    title: 'the number is nowhere: not in the page, the form, a message, a request',
    why: 'WebDriver BiDi shows no bodies of requests',
  },
  {
    title: 'a policy that only reports is no block',
    why: 'it waits for words of Chromium’s console',
  },
];

/** The exceptions for a test file, by its path in the project. */
export const exceptionsOf = (file: string): Exception[] =>
  exceptions.filter(({ within }) => within === undefined || file.startsWith(`${within}/`));
