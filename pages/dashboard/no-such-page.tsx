// The page for an address that leads nowhere.

import { addressOf } from '../kit/addresses.ts';
import { useMerchant } from '../kit/merchant.ts';
import { Headline } from '../kit/parts/page.tsx';
import { Empty } from '../kit/parts/states.tsx';

export function NoSuchPage() {
  const { clientId } = useMerchant();
  return (
    <>
      <Headline>There is no such page</Headline>
      <Empty title="The address may be mistyped, or the page has moved.">
        <p>
          <a href={addressOf(clientId, 'home')}>Go to Home</a>
        </p>
      </Empty>
    </>
  );
}
