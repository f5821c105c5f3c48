// The page for an address that leads nowhere.

import { Headline } from '../account/parts.tsx';
import { addressOf } from './addresses.ts';
import { useMerchant } from './merchant.ts';
import { EmptyState } from './states.tsx';

export function NoSuchPage() {
  const { clientId } = useMerchant();
  return (
    <>
      <Headline>There is no such page</Headline>
      <EmptyState title="The address may be mistyped, or the page has moved.">
        <p>
          <a href={addressOf(clientId, 'home')}>Go to Home</a>
        </p>
      </EmptyState>
    </>
  );
}
