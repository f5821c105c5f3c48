// The merchant: name and logo above, contact and terms below. Contract §3, Merchant.

import { useSignal } from '@preact/signals';
import type { Merchant } from '@svc/contract/checkout-sessions/checkout-sessions-parts';
import { httpAddress } from './state/addresses.ts';
import type { Texts } from './texts/index.ts';

/**
 * The merchant's name and logo. When the logo does not load, the name stands alone: the page waits for no
 * other server.
 */
export function SellerHead({ merchant }: { merchant: Merchant | null }) {
  if (!merchant) return null;
  return (
    <p class="seller">
      {merchant.logoUrl && <Picture key={merchant.logoUrl} url={merchant.logoUrl} name="logo" />}
      <bdi translate={false}>{merchant.name}</bdi>
    </p>
  );
}

/** An image from the merchant's own site; `name` is its class. The text beside it says the same. */
export function Picture({ url, name }: { url: string; name: 'logo' | 'line-image' }) {
  const state = useSignal<'waiting' | 'shown' | 'missing'>('waiting');
  if (state.value === 'missing') return null;
  return (
    <span class={`${name} ${state.value}`}>
      <img
        src={url}
        // Empty, because the name stands beside the image.
        alt=""
        referrerpolicy="no-referrer"
        decoding="async"
        onLoad={() => (state.value = 'shown')}
        onError={() => (state.value = 'missing')}
      />
    </span>
  );
}

type FootProps = { merchant: Merchant | null; texts: Texts };

export function SellerFoot({ merchant, texts }: FootProps) {
  if (!merchant) return null;
  const { name, supportEmail } = merchant;
  const terms = httpAddress(merchant.termsUrl);
  if (!supportEmail && !terms) return null;
  return (
    <footer class="seller-foot">
      {supportEmail && (
        <span>
          {texts.questions}{' '}
          <a href={`mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}`}>
            <bdi translate={false}>{supportEmail}</bdi>
          </a>
        </span>
      )}
      {terms && (
        // Opens in a new window, so that what was typed here stays.
        <a href={terms.href} target="_blank" rel="noopener noreferrer">
          {texts.termsOf(name)}
        </a>
      )}
    </footer>
  );
}
