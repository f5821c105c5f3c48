// What browsers report of a page that broke its Content-Security-Policy: reliability §5.4. Anybody can
// post one, so of a report only names are kept: no address of a page, no query string, no sample.

/** Where the pages of an origin have browsers send them. */
export const policyReportsPath = '/csp-reports';

/** For a page whose policy says `report-to csp`. */
export const reportingEndpoints = `csp="${policyReportsPath}"`;

/** `application/reports+json` is the Reporting API's, the other one that of browsers without it. */
export const policyReportTypes = ['application/reports+json', 'application/csp-report'] as const;

/** Of one body, in bytes. */
export const policyReportsLimit = 16_384;

const mostPerBody = 10;

export type PolicyReport = {
  /** Path of the page, without what follows it; for the caller to make a route of. */
  readonly path: string;
  readonly directive: string;
  /** `inline`, `eval` and their like, the origin of what was not loaded, or a scheme. */
  readonly blocked: string;
};

const directives: ReadonlySet<string> = new Set([
  ...['base-uri', 'child-src', 'connect-src', 'default-src', 'font-src', 'form-action'],
  ...['frame-ancestors', 'frame-src', 'img-src', 'manifest-src', 'media-src', 'object-src'],
  ...['require-trusted-types-for', 'script-src', 'script-src-attr', 'script-src-elem', 'style-src'],
  ...['style-src-attr', 'style-src-elem', 'trusted-types', 'worker-src'],
]);
const kinds: ReadonlySet<string> = new Set([
  ...['inline', 'eval', 'wasm-eval', 'self', 'data', 'blob', 'filesystem', 'about'],
  ...['trusted-types-policy', 'trusted-types-sink'],
]);

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const textOf = (value: unknown): string =>
  typeof value === 'string' && value.length <= 4096 ? value : '';

/** The reports of a body, ten at most; undefined where it is none. */
export function readPolicyReports(body: string): PolicyReport[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return;
  }
  const alone = fieldsOf(value)['csp-report'];
  if (!Array.isArray(value) && alone === undefined) return;
  const found = Array.isArray(value)
    ? value.filter((each) => fieldsOf(each).type === 'csp-violation').map((each) => each.body)
    : [alone];
  return found.slice(0, mostPerBody).map((each) => {
    const fields = fieldsOf(each);
    const directive = textOf(
      fields.effectiveDirective ?? fields['effective-directive'] ?? fields['violated-directive'],
    );
    return {
      path: pathOf(textOf(fields.documentURL ?? fields['document-uri'])),
      directive: directives.has(directive) ? directive : 'other',
      blocked: blockedOf(textOf(fields.blockedURL ?? fields['blocked-uri'])),
    };
  });
}

const pathOf = (address: string): string => URL.parse(address)?.pathname ?? '';

function blockedOf(blocked: string): string {
  if (kinds.has(blocked)) return blocked;
  const url = URL.parse(blocked);
  if (!url) return 'other';
  const scheme = url.protocol.slice(0, -1);
  if (['http', 'https', 'ws', 'wss'].includes(scheme)) {
    return url.host.length <= 100 ? `${scheme}://${url.host}` : 'other';
  }
  return kinds.has(scheme) || scheme.endsWith('-extension') ? scheme.slice(0, 30) : 'other';
}

const windowMs = 60_000;
const mostOfAll = 300;
const mostOfOne = 30;

/** Reports that are let in: so many a minute of one address, and of all. */
export class PolicyReportGate {
  readonly #nowMs: () => number;
  readonly #byAddress = new Map<string, number>();
  #startedMs: number;
  #count = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#startedMs = nowMs();
  }

  /** Seconds until one more may come; 0: it came in. */
  take(address: string): number {
    const passedMs = this.#nowMs() - this.#startedMs;
    if (passedMs >= windowMs) {
      this.#startedMs += passedMs;
      this.#count = 0;
      this.#byAddress.clear();
    }
    const own = this.#byAddress.get(address) ?? 0;
    if (own >= mostOfOne || this.#count >= mostOfAll) {
      return Math.max(1, Math.ceil((this.#startedMs + windowMs - this.#nowMs()) / 1000));
    }
    this.#byAddress.set(address, own + 1);
    this.#count += 1;
    return 0;
  }
}
