// The saved views of a list: filters, order and columns under a name, the person's own or for everyone.

import { longestViewName, type View } from '@svc/contract/dashboard/views';
import { useRef, useState } from 'preact/hooks';
import type { ListPage } from '../calls.ts';
import { call } from '../calls.ts';
import { mayDo, useMerchant } from '../merchant.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form, useAction } from '../parts/form.tsx';
import { Cancel } from '../parts/inputs.tsx';
import { NotAllowed, Trouble } from '../parts/states.tsx';
import { type ReadState, useResource } from '../read.ts';
import { goTo } from '../router.ts';
import { type AddressQuery, viewQuery } from './list-address.ts';
import type { ListSpec } from './list-spec.ts';

type ViewsProps = {
  readonly list: NonNullable<ListSpec<never>['viewed']>;
  readonly asked: AddressQuery;
  readonly path: string;
};

/** A person has at most fifty views and a merchant fifty for everyone: one page holds them all. */
const useViews = (list: string): ReadState<ListPage<View>> =>
  useResource('GET /v1/views', { limit: 100, sortDirection: 'ASC', 'list[eq]': list });

const addressOfView = (path: string, { id, query }: View): string =>
  `${path}?${query ? `${query}&` : ''}view=${id}`;

export function SavedViews({ list, asked, path }: ViewsProps) {
  const views = useViews(list);
  const [open, setOpen] = useState<View | 'new' | null>(null);
  const current = views.content?.data.find(({ id }) => id === asked.kept.get('view'));
  const isChanged = current !== undefined && viewQuery(asked) !== current.query;
  const saver = useRef<HTMLButtonElement>(null);
  const close = () => setOpen(null);
  // The button that opened the dialog goes with the view.
  const onDeleted = () => saver.current?.focus();
  return (
    <div class="saved-views">
      {views.content && views.content.data.length > 0 && (
        <nav aria-label="Saved views" class="view-chips">
          {views.content.data.map((view) => (
            <a
              key={view.id}
              class="view-chip"
              href={addressOfView(path, view)}
              {...(view === current ? { 'aria-current': 'page' as const } : {})}
            >
              {view.name}
              {view.isShared && <span class="fine"> for everyone</span>}
            </a>
          ))}
        </nav>
      )}
      {current && isChanged && <span class="fine">Changed since it was saved.</span>}
      <span class="ways">
        {current && (
          <button type="button" class="quiet" onClick={() => setOpen(current)}>
            Change view {current.name}
          </button>
        )}
        <button type="button" class="quiet" ref={saver} onClick={() => setOpen('new')}>
          Save view
        </button>
      </span>
      {open === 'new' && <NewView {...{ list, asked, path, views, close }} />}
      {open && open !== 'new' && (
        <OldViewNotice
          {...{ list, asked, path, views, close, onDeleted }}
          view={open}
          isChanged={isChanged}
        />
      )}
    </div>
  );
}

type DialogProps = ViewsProps & {
  readonly views: ReadState<unknown>;
  readonly close: () => void;
};

function EveryoneBox({ isShared }: { isShared: boolean }) {
  const merchant = useMerchant();
  if (!mayDo(merchant, 'views.share')) {
    return <NotAllowed action="save a view for everyone" permission="views.share" />;
  }
  return (
    <label class="check">
      <input type="checkbox" name="isShared" defaultChecked={isShared} />
      For everyone
    </label>
  );
}

function NewView({ list, asked, path, views, close: closed }: DialogProps) {
  const { clientId } = useMerchant();
  return (
    <Dialog title="Save view" onClose={closed}>
      {(close) => (
        <Form
          submit="Save"
          after={<Cancel onCancel={close} />}
          send={async (field) => {
            const body = {
              list,
              name: field('name'),
              query: viewQuery(asked),
              isShared: field('isShared') === 'on',
            };
            const saved = await call('POST /v1/views', { body }, { clientId });
            await views.again();
            close();
            goTo(addressOfView(path, saved), { staysPut: true });
          }}
        >
          <p>Saves the current filters, order and columns.</p>
          <Field label="Name" name="name" maxLength={longestViewName} hasFocus />
          <EveryoneBox isShared={false} />
        </Form>
      )}
    </Dialog>
  );
}

type OldViewProps = DialogProps & {
  readonly view: View;
  readonly isChanged: boolean;
  readonly onDeleted: () => void;
};

function OldViewNotice(given: OldViewProps) {
  const { asked, path, views, view, isChanged, close: closed, onDeleted } = given;
  const merchant = useMerchant();
  const { clientId } = merchant;
  const isMine = !view.isShared || mayDo(merchant, 'views.share');
  const removal = useAction(async () => {
    await call('DELETE /v1/views/{viewId}', { viewId: view.id }, { clientId });
    await views.again();
  });
  const remove = async (close: () => void) => {
    if (!(await removal.run())) return;
    close();
    onDeleted();
    goTo(`${path}${view.query ? `?${view.query}` : ''}`, { staysPut: true });
  };
  return (
    <Dialog title="Change view" onClose={closed}>
      {(close) =>
        isMine ? (
          <Form
            submit="Save"
            after={
              <>
                <button
                  type="button"
                  class="second danger"
                  aria-disabled={removal.isBusy}
                  onClick={() => void remove(close)}
                >
                  Delete view
                </button>
                <Cancel onCancel={close} />
              </>
            }
            send={async (field) => {
              const isTaken = field('isTaken') === 'on';
              const isShared = mayDo(merchant, 'views.share')
                ? { isShared: field('isShared') === 'on' }
                : {};
              const query = isTaken ? { query: viewQuery(asked) } : {};
              const body = { name: field('name'), version: view.version, ...isShared, ...query };
              const saved = await call(
                'PATCH /v1/views/{viewId}',
                { viewId: view.id, body },
                { clientId },
              );
              await views.again();
              close();
              if (isTaken) goTo(addressOfView(path, saved), { staysPut: true });
            }}
          >
            {removal.failure && <Trouble hasFocus failure={removal.failure} />}
            <Field label="Name" name="name" value={view.name} maxLength={longestViewName} />
            {isChanged && (
              <label class="check">
                <input type="checkbox" name="isTaken" defaultChecked />
                With the current filters, order and columns
              </label>
            )}
            <EveryoneBox isShared={view.isShared} />
          </Form>
        ) : (
          <>
            <NotAllowed action="change a view for everyone" permission="views.share" />
            <p class="ways">
              <button type="button" class="second" onClick={close}>
                Close
              </button>
            </p>
          </>
        )
      }
    </Dialog>
  );
}
