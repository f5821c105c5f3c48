// Shows the page of the address, in the frame of its merchant. Visitors who are not signed in sign in
// first.

import { useEffect } from 'preact/hooks';
import { addressOf } from '../kit/addresses.ts';
import { type Memberships, useMemberships } from '../kit/memberships.ts';
import { lastMerchant, MerchantProvider, merchantOf, rememberMerchant } from '../kit/merchant.ts';
import { ConfirmDialog } from '../kit/parts/confirm-dialog.tsx';
import { Doorman } from '../kit/parts/doorman.tsx';
import { Headline, NarrowPage } from '../kit/parts/page.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { person } from '../kit/person.ts';
import { findRoute, goTo, place, query } from '../kit/router.ts';
import { zoneContext } from '../kit/times.ts';
import { Frame, StartFrame } from './frame/frame.tsx';
import { NoSuchPage } from './no-such-page.tsx';
import { routes } from './routes.tsx';
import { SearchBox } from './search/search.tsx';

export function App() {
  return (
    <>
      {person.value ? <DashboardInside /> : <Doorman waiting={<StartFrame />} />}
      <ConfirmDialog />
    </>
  );
}

function DashboardInside() {
  const memberships = useMemberships();
  const [, clientId] = place.value.split('/').filter(Boolean);
  if (memberships.content.value === null) return <UnreadMemberships memberships={memberships} />;
  if (clientId === undefined) return <ToLastMerchant memberships={memberships} />;
  return <MerchantPage memberships={memberships} clientId={clientId.toLowerCase()} />;
}

function UnreadMemberships({ memberships }: { memberships: Memberships }) {
  const failure = memberships.failure.value;
  if (!failure) return <StartFrame />;
  return (
    <NarrowPage>
      <Headline>Your merchants cannot be read</Headline>
      <Trouble failure={failure} onRetry={() => memberships.again()} />
    </NarrowPage>
  );
}

/** `/dashboard` leads to the merchant that this browser showed last, or to the first one. */
function ToLastMerchant({ memberships }: { memberships: Memberships }) {
  const all = memberships.content.value ?? [];
  const last = lastMerchant();
  const found = all.find(({ clientId }) => clientId === last) ?? all[0];
  useEffect(() => {
    if (found) goTo(addressOf(found.clientId, 'home') + query.value, { replaces: true });
  }, [found?.clientId]);
  return found ? <StartFrame /> : <NoMerchant title="You belong to no merchant" />;
}

const NoMerchant = ({ title }: { title: string }) => (
  <NarrowPage>
    <Headline>{title}</Headline>
    <p class="lead">An owner or admin of it can invite you by your address.</p>
    <p class="beside">
      <a href="/dashboard">Go to your dashboard</a>
      <a href="/account">Go to your account</a>
    </p>
  </NarrowPage>
);

type OfMerchantProps = { readonly memberships: Memberships; readonly clientId: string };

function MerchantPage({ memberships, clientId }: OfMerchantProps) {
  const all = memberships.content.value ?? [];
  const membership = all.find((each) => each.clientId === clientId);
  useEffect(() => {
    if (membership) rememberMerchant(clientId);
  }, [membership, clientId]);
  if (!membership) return <NoMerchant title="You do not belong to this merchant" />;
  const merchant = merchantOf(membership);
  const path = place.value;
  const found = findRoute(routes, path);
  return (
    <MerchantProvider value={merchant}>
      <zoneContext.Provider value={merchant.zone}>
        <Frame others={all.filter((each) => each !== membership)} search={<SearchBox />}>
          {/* The key makes a page of another address start with new state. */}
          <main class="content" id="content" key={path}>
            {found ? found.route.view(found.params) : <NoSuchPage />}
          </main>
        </Frame>
      </zoneContext.Provider>
    </MerchantProvider>
  );
}
