import { addressOf, type Part, partOf, parts } from '../addresses.ts';
import { useMerchant } from '../merchant.ts';
import { place } from '../router.ts';

type PartTabsProps = { readonly label: string; readonly between: readonly Part[] };

/** Links between parts of the dashboard that show one subject in several lists. */
export function PartTabs({ label, between }: PartTabsProps) {
  const { clientId } = useMerchant();
  const shown = partOf(place.value);
  return (
    <nav class="tabs" aria-label={label}>
      {between.map((part) => (
        <a
          key={part}
          href={addressOf(clientId, part)}
          {...(part === shown ? { 'aria-current': 'page' as const } : {})}
        >
          {parts[part].title}
        </a>
      ))}
    </nav>
  );
}
