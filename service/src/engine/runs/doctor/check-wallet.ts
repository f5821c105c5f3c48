// Checks a wallet's gateway by one reading, which needs the app's id and secret: nothing is made.
import type { Ports } from '../../ports.ts';
import { openStored } from '../operator/check-gateways.ts';
import { type GatewayView, noticeUrl } from '../operator/gateways.ts';
import { type Finding, goodFinding, wrongFinding } from './finding.ts';

const spanMs = 60_000;

export async function* checkWallet(
  view: GatewayView,
  ports: Ports,
  { hasWalletAddress, nowMs }: { readonly hasWalletAddress: boolean; readonly nowMs: () => number },
): AsyncGenerator<Finding> {
  const { id } = view;
  const what = `wallet ${id}`;
  if (!hasWalletAddress) {
    yield wrongFinding(
      what,
      'SVC_WALLET_URL is not set: no wallet is offered',
      'set SVC_WALLET_URL (docs/guides/go-live-paypal.md)',
    );
    return;
  }
  const gateway = await openStored(view, ports);
  const until = new Date(nowMs());
  const page = await ports
    .provider(gateway)
    .listNotices({ from: new Date(until.getTime() - spanMs), until, page: null });
  const { httpStatus, requestId } = page.trace;
  yield page.kind === 'found'
    ? goodFinding(what, 'the wallet accepts id and secret of the app')
    : wrongFinding(
        what,
        `the wallet lists no notices (${[httpStatus ?? 'no answer', requestId].filter(Boolean).join(', ')}): payments by it fail too`,
        'compare SVC_WALLET_URL, id and secret of the app with the dashboard of the wallet',
      );
  if (!view.hasNoticeSecret) {
    yield wrongFinding(
      what,
      'the id of its webhook is missing: its notices are refused, and results of payments come late',
      `enter ${noticeUrl(id, ports)} at the wallet, and give the id with svc gateways change --keys`,
    );
  }
}
