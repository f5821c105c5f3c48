// The page of one thing of a list: the way back, and the thing once it was read.

import type { ComponentChildren } from 'preact';
import { addressOf, type Part, parts } from '../addresses.ts';
import { useMerchant } from '../merchant.ts';
import type { ReadState } from '../read.ts';
import { Bones, Trouble } from './states.tsx';
import { Title } from './title.tsx';

type DetailProps<T> = {
  /** The list that the page leads back to. */
  readonly part: Part;
  /** The headline until the thing was read. */
  readonly title: string;
  readonly read: Pick<ReadState<T>, 'content' | 'failure' | 'again'>;
  readonly children: (content: T) => ComponentChildren;
};

export function DetailPage<T>({ part, title, read, children }: DetailProps<T>) {
  const { clientId } = useMerchant();
  const { content, failure, again } = read;
  return (
    <>
      <p>
        <a class="back" href={addressOf(clientId, part)}>
          ‹ {parts[part].title}
        </a>
      </p>
      {failure && <Trouble failure={failure} onRetry={again} />}
      {content ? (
        children(content)
      ) : (
        <>
          <Title title={title}>{title}</Title>
          {!failure && <Bones />}
        </>
      )}
    </>
  );
}
