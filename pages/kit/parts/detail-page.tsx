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
  const isMissing = failure?.status === 404;
  return (
    <>
      <p>
        <a class="back" href={addressOf(clientId, part)}>
          ‹ {parts[part].title}
        </a>
      </p>
      {failure && !isMissing && <Trouble failure={failure} onRetry={again} />}
      {isMissing ? (
        <Missing part={part} noun={title.toLowerCase()} />
      ) : content ? (
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

type MissingProps = { readonly part: Part; readonly noun: string };

/** Nothing of this merchant has the id of the address. */
function Missing({ part, noun }: MissingProps) {
  const { clientId, name } = useMerchant();
  const list = parts[part].title.toLowerCase();
  return (
    <>
      <Title>{`There is no such ${noun}`}</Title>
      <p class="account-lead">
        {name} has no {noun} with this id. The address may be incomplete, or belong to another
        merchant of yours.
      </p>
      <p>
        Search above by what the buyer tells you, such as an email address or an amount, or{' '}
        <a href={addressOf(clientId, part)}>look through the {list}</a>.
      </p>
    </>
  );
}
