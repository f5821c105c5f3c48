import { may } from '@svc/contract/rows/roles';
import type { RowShape } from '@svc/contract/rows/row';
import type { PageMaker } from '../../../storage/customers/customer-pages.ts';

/** Whether a page opens the row's call: it opens no more than the maker of its link may. */
export const isOpenByLink = (
  { ofMaker }: Pick<RowShape, 'ofMaker'>,
  maker: PageMaker | null,
): boolean =>
  !ofMaker ||
  !maker ||
  (may(maker.role, ofMaker.permission) && (maker.scopes?.includes(ofMaker.scope) ?? true));
