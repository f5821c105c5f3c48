// Products: the list, and the page of one product. Contract §8.

import type { Product } from '@svc/contract/catalog/catalog';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { DetailPage } from '../../kit/parts/detail-page.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useResource } from '../../kit/read.ts';
import type { InputFor } from '../../kit/rows.ts';
import type { Words } from '../../kit/words.ts';
import { CatalogPage } from './catalog-parts.tsx';
import { ChangeBlock } from './change-block.tsx';
import { ProductForm } from './product-form.tsx';

const stateOf = ({ active }: Product): Words =>
  active ? { text: 'On sale', tone: 'good' } : { text: 'Switched off', tone: 'plain' };

const kindOf = ({ interval }: Product) => (interval ? `Every ${interval}` : 'Once');

const pricesOf = ({ prices }: Product) =>
  prices.map(({ amount, currency }) => money(amount, currency)).join(', ');

const productsSpec: ListSpec<Product> = {
  title: 'Products',
  noun: ['product', 'products'],
  path: '/v1/products',
  filters: [
    {
      name: 'active',
      title: 'On sale',
      kind: 'choice',
      choices: { true: 'On sale', false: 'Switched off' },
    },
    {
      name: 'kind',
      title: 'Kind',
      kind: 'choice',
      choices: { item: 'Sold once', subscription: 'Subscription' },
    },
    { name: 'code', title: 'Code', kind: 'text' },
    { name: 'createdAt', title: 'Made', kind: 'time' },
  ],
  columns: [
    { id: 'code', title: 'Code', sort: 'code', cell: (row) => row.code },
    { id: 'name', title: 'Name', cell: (row) => row.name },
    { id: 'prices', title: 'Prices', cell: pricesOf },
    { id: 'kind', title: 'Is charged', cell: kindOf },
    { id: 'state', title: 'On sale', cell: (row) => <Tag words={stateOf(row)} /> },
    timeColumn('createdAt', { id: 'created', title: 'Made', isSorted: true }),
    timeColumn('updatedAt', { id: 'updated', title: 'Changed', isSorted: true }),
  ],
  shown: ['code', 'name', 'prices', 'kind', 'state'],
  sort: '-createdAt',
  keyOf: ({ code }) => code,
  hrefOf: ({ code }, { clientId }) => addressOf(clientId, 'products', code),
  aboutOf: ({ name }) => name,
  linesOf: (row) => [
    <>
      {row.code} <Tag words={stateOf(row)} />
    </>,
    row.name,
    `${pricesOf(row)} · ${kindOf(row).toLowerCase()}`,
  ],
  empty: () => (
    <Empty title="No product yet">
      <p>Checkout sessions name products by code and charge their prices.</p>
    </Empty>
  ),
};

export const ProductsPage = () => (
  <CatalogPage
    noun="product"
    list={productsSpec}
    create={(body, clientId) =>
      call(
        'POST /v1/products',
        { body: body as InputFor<'POST /v1/products'>['body'] },
        { clientId },
      )
    }
    form={(ways) => <ProductForm product={null} {...ways} />}
  />
);

export function ProductPage({ code }: { code: string }) {
  const read = useResource('GET /v1/products/{code}', { code });
  return (
    <DetailPage part="products" title="Product" read={read}>
      {(content) => <Shown product={content} again={read.again} />}
    </DetailPage>
  );
}

type ShownProps = { readonly product: Product; readonly again: () => Promise<void> };

function Shown({ product, again }: ShownProps) {
  const { clientId } = useMerchant();
  const [news, tell] = useNews(again);
  const sold = `${addressOf(clientId, 'payments')}?productCode=${encodeURIComponent(product.code)}`;
  return (
    <>
      <div class="detail-head">
        <Title key={product.name}>{product.name}</Title>
        <p>
          <span role="status">
            <Tag words={stateOf(product)} />
          </span>
        </p>
      </div>
      <News text={news} />
      <Block title="Facts">
        <Pairs
          facts={[
            ['Code', <CopiedText key="code" text={product.code} about="the code" />],
            ['Is charged', kindOf(product)],
            ['Prices', pricesOf(product)],
            ['Made', <InstantText key="made" at={product.createdAt} />],
            ['Changed', <InstantText key="changed" at={product.updatedAt} />],
            [
              'Payments',
              <a key="sold" href={sold}>
                Payments of this product
              </a>,
            ],
          ]}
        />
      </Block>
      <ChangeBlock
        key={product.code}
        noun="product"
        present={product}
        again={again}
        tell={tell}
        save={(changes, clientId) => {
          const body = changes as InputFor<'PATCH /v1/products/{code}'>['body'];
          return call('PATCH /v1/products/{code}', { code: product.code, body }, { clientId });
        }}
        saved="Saved. Existing sessions and subscriptions keep their prices."
        form={(opened, ways) => <ProductForm product={opened} {...ways} />}
      />
    </>
  );
}
