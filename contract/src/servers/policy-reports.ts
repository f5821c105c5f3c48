// Reports of browsers about pages that broke their Content-Security-Policy: reliability §5.4. Anybody can
// post one, so only names are kept of a report: no page address, no query string, no sample.

/** The path to which browsers send the reports of an origin's pages. */
export const policyReportsPath = '/csp-reports';

/** The `Reporting-Endpoints` header for a page whose policy has `report-to csp`. */
export const reportingEndpoints = `csp="${policyReportsPath}"`;

/** The Reporting API sends `application/reports+json`; browsers without it send the other type. */
export const policyReportTypes = ['application/reports+json', 'application/csp-report'] as const;

/** The most bytes of one body. */
export const policyReportsLimit = 16_384;

const mostPerBody = 10;

export type PolicyReport = {
  /** Path of the page without query and fragment, from which the caller derives the route. */
  readonly path: string;
  readonly directive: string;
  /** `inline`, `eval` and similar values, the origin of the blocked resource, or a scheme. */
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

/** Returns the reports of a body, ten at most; undefined when the body holds none. */
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

/** Limits how many reports are accepted per minute, from one address and in total. */
export class PolicyReportGate {
  readonly #nowMs: () => number;
  readonly #byAddress = new Map<string, number>();
  #startedMs: number;
  #count = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#startedMs = nowMs();
  }

  /** Accepts a report and returns 0, or returns the seconds until the next one can be accepted. */
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
