// What the merchant's people wrote beside a payment or a customer: read, write, change, delete.

import type { Note, NotedType } from '@svc/contract/dashboard/notes';
import { containsCardNumber } from '@svc/contract/vault/card-number';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countAction } from '../../kit/begun-actions.ts';
import { CallFailure, call, type ListPage } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { InstantText } from '../../kit/parts/bits.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { Busy, lengthFault, useAction } from '../../kit/parts/form.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { Bones, NotAllowed, Trouble } from '../../kit/parts/states.tsx';
import { person } from '../../kit/person.ts';
import { type ReadState, readOnFailure, useResource } from '../../kit/read.ts';
import { countedNoun } from '../../kit/words.ts';
import { noteBox } from '../frame/keyboard.ts';
import { dropDraft, keepDraft, keptDraft } from './note-drafts.ts';

type NotesProps = { readonly about: NotedType; readonly id: string };

const shown = 100;

export function Notes({ about, id }: NotesProps) {
  const merchant = useMerchant();
  const read = useResource('GET /v1/notes', {
    limit: shown,
    'resourceType[eq]': about,
    'resourceId[eq]': id,
  });
  const [news, tell] = useNews(read.again);
  const isWriter = mayDo(merchant, 'notes.write');
  return (
    <Block title="Notes">
      <News text={news} />
      <Written read={read} isWriter={isWriter} onNews={tell} />
      {isWriter ? (
        <NewNote about={about} id={id} again={read.again} onNews={tell} />
      ) : (
        <NotAllowed action="write notes" permission="notes.write" />
      )}
      <p class="fine">
        Your colleagues can read notes; buyers cannot. The author can change a note; the author,
        owners and admins can delete it. The audit log keeps its text.
      </p>
    </Block>
  );
}

type WrittenProps = {
  readonly read: ReadState<ListPage<Note>>;
  readonly isWriter: boolean;
  readonly onNews: (text: string) => Promise<void>;
};

function Written({ read: { content, failure, again }, isWriter, onNews }: WrittenProps) {
  const [changed, setChanged] = useState<string | null>(null);
  const [left, setLeft] = useState<string | null>(null);
  return (
    <>
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={2} />}
      {content?.data.length === 0 && <p class="fine">No note yet.</p>}
      {content && content.data.length > 0 && (
        <ul class="rows" aria-label="Notes">
          {content.data.map((note) => (
            <li key={note.id} class="row">
              {note.id === changed ? (
                <ChangedNote
                  note={note}
                  again={again}
                  onNews={onNews}
                  onClose={() => {
                    setChanged(null);
                    setLeft(note.id);
                  }}
                />
              ) : (
                <OneNote
                  note={note}
                  isWriter={isWriter}
                  again={again}
                  onNews={onNews}
                  isLeft={left === note.id}
                  onChange={() => {
                    setChanged(note.id);
                    setLeft(null);
                  }}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {content && content.total > content.data.length && (
        <p class="fine">
          The newest {shown} of {countedNoun(content.total, ['note', 'notes'])}.
        </p>
      )}
    </>
  );
}

const authorOf = ({ author }: Note) => author.name ?? author.email;

type NewsProps = {
  readonly again: () => Promise<void>;
  readonly onNews: (text: string) => Promise<void>;
};

type OneProps = NewsProps & {
  readonly note: Note;
  readonly isWriter: boolean;
  /** True when its form was closed last: the focus goes back to where it was opened. */
  readonly isLeft: boolean;
  readonly onChange: () => void;
};

function OneNote({ note, isWriter, isLeft, again, onNews, onChange }: OneProps) {
  const merchant = useMerchant();
  const edit = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isLeft) edit.current?.focus();
  }, []);
  const remove = async () => {
    await readOnFailure(again, () =>
      call('DELETE /v1/notes/{noteId}', { noteId: note.id }, { clientId: merchant.clientId }),
    );
    await onNews('The note is deleted.');
  };
  const isOwn = note.author.userId === person.value?.id;
  const about = `the note of ${authorOf(note)}`;
  return (
    <>
      <p class="lines">{note.text}</p>
      <p class="fine">
        {authorOf(note)} · <InstantText at={note.createdAt} />
        {note.version > 0 && (
          <>
            {' '}
            · changed <InstantText at={note.updatedAt} />
          </>
        )}
      </p>
      {isWriter && (isOwn || mayDo(merchant, 'notes.clear')) && (
        <div class="ways">
          {isOwn && (
            <button
              type="button"
              class="quiet"
              aria-label={`Edit: ${about}`}
              ref={edit}
              onClick={onChange}
            >
              Edit
            </button>
          )}
          <ActionButton
            about={about}
            kind="quiet danger"
            question={{
              title: 'Delete this note?',
              yes: 'Delete it',
              no: 'Keep it',
              text: <p>The note disappears from this page. The audit log keeps its text.</p>,
            }}
            failed="The note was not deleted"
            onAction={remove}
          >
            Delete
          </ActionButton>
        </div>
      )}
    </>
  );
}

function NewNote({ about, id, again, onNews }: NotesProps & NewsProps) {
  const { clientId } = useMerchant();
  const place = { clientId, personId: person.value?.id ?? '', about, id };
  const [text, setText] = useState(() => keptDraft(place));
  const type = (typed: string) => {
    setText(typed);
    keepDraft(place, containsCardNumber(typed) ? '' : typed);
  };
  return (
    <NoteForm
      label="New note"
      submit="Add note"
      text={text}
      isKeyed
      onType={type}
      send={async () => {
        const body = { resourceType: about, resourceId: id, text: text.trim() };
        await readOnFailure(again, () => call('POST /v1/notes', { body }, { clientId }));
        dropDraft(place);
        setText('');
        await onNews('The note is added.');
      }}
    />
  );
}

type ChangedProps = NewsProps & { readonly note: Note; readonly onClose: () => void };

function ChangedNote({ note, again, onNews, onClose }: ChangedProps) {
  const { clientId } = useMerchant();
  // The version that the text was opened with: the list is read again meanwhile.
  const [{ version }] = useState(note);
  const [text, setText] = useState(note.text);
  return (
    <NoteForm
      label="Note"
      submit="Save"
      text={text}
      hasFocus
      onType={setText}
      onClose={onClose}
      send={async () => {
        const body = { text: text.trim(), version };
        await readOnFailure(again, () =>
          call('PATCH /v1/notes/{noteId}', { noteId: note.id, body }, { clientId }),
        );
        onClose();
        await onNews('The note is changed.');
      }}
    />
  );
}

type FormProps = {
  readonly label: string;
  readonly submit: string;
  readonly text: string;
  /** True for the box that the key `n` leads to. */
  readonly isKeyed?: boolean;
  readonly hasFocus?: boolean;
  readonly onType: (text: string) => void;
  readonly send: () => Promise<unknown>;
  readonly onClose?: () => void;
};

const cardWords = 'This is a full card number. Notes may hold only the last four digits.';

function NoteForm({ label, submit, text, isKeyed, hasFocus, onType, send, onClose }: FormProps) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const { run, isBusy, failure, forget } = useAction(send);
  const [isTried, setTried] = useState(false);
  useEffect(() => {
    if (hasFocus) box.current?.focus();
    if (!isKeyed) return;
    noteBox.value = box.current;
    return () => {
      noteBox.value = null;
    };
  }, []);
  const wrong = containsCardNumber(text) ? cardWords : lengthFault(text, { maxLength: 2000 });
  const fault = wrong || (isTried && !text.trim() ? 'Write something.' : null);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (wrong || !text.trim()) {
      countAction();
      box.current?.focus();
      return;
    }
    void run().then((isDone) => isDone && setTried(false));
  };
  return (
    <form class="form" onSubmit={onSubmit}>
      {failure && <Trouble hasFocus failure={worded(failure)} />}
      <div class="field">
        <label for={id}>{label}</label>
        <textarea
          id={id}
          ref={box}
          rows={2}
          value={text}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? `${id}-error` : undefined}
          onInput={({ currentTarget }) => {
            forget();
            onType(currentTarget.value);
          }}
        />
        {fault && (
          <p class="field-error" id={`${id}-error`} role="alert">
            {fault}
          </p>
        )}
      </div>
      <div class="form-ways">
        <Busy type="submit" kind="second main" isBusy={isBusy}>
          {submit}
        </Busy>
        {onClose && (
          <button type="button" class="second" onClick={onClose}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

/** Words for people, where those of the service are about payments or for programs. */
const messages: Readonly<Record<string, string>> = {
  raw_card_data_forbidden: cardWords,
  version_conflict:
    'Somebody changed this note in the meantime. Your text was not saved. Press Cancel to see the current note.',
};

function worded(failure: CallFailure): CallFailure {
  const message = messages[failure.code ?? ''];
  return message ? new CallFailure(failure.status, { ...failure.facts, message }) : failure;
}
