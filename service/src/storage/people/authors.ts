// Who wrote a note, saved a view or had a file made.

export type AuthoredRow = {
  readonly author_id: string;
  readonly author_email: string;
  readonly author_name: string | null;
};

/** Of the user `u`. */
export const authorColumns = 'u.email as author_email, u.name as author_name';

/** Joins to a row with an `author_id` what is shown of that person. */
export const joinAuthor = (from: string) => `
  join lateral (select ${authorColumns} from users u
    where u.id = ${from}.author_id) more on true`;

export const translateAuthor = (row: AuthoredRow) => ({
  userId: row.author_id,
  email: row.author_email,
  name: row.author_name,
});
