// @ts-check
/** @typedef {{ id: number, text: string, by: string, approved_by: string | null }} Note */

/** Notes by organization, in memory. */
export function createNotes() {
  /** @type {Map<string, Note[]>} */
  const notes = new Map();
  /** The user id of each author. @type {WeakMap<Note, string>} */
  const authors = new WeakMap();
  let last = 0;
  return {
    /** @param {string} organization_id */
    list: (organization_id) => notes.get(organization_id) ?? [],
    /** @param {import('@gatehouse/verify').Session} session @param {unknown} text */
    add({ organization_id, email, user_id }, text) {
      const checked = typeof text === 'string' ? text.slice(0, 200) : '';
      const note = { id: ++last, text: checked, by: email ?? user_id, approved_by: null };
      notes.set(organization_id, [...(notes.get(organization_id) ?? []), note]);
      authors.set(note, user_id);
      return note;
    },
    /**
     * Returns undefined if the organization has no such note.
     * @param {import('@gatehouse/verify').Session} session @param {string} id
     */
    approve({ organization_id, email, user_id }, id) {
      const note = notes.get(organization_id)?.find((one) => String(one.id) === id);
      if (note) note.approved_by = email ?? user_id;
      return note;
    },
    /** @param {string} organization_id @param {string} user_id */
    removeBy(organization_id, user_id) {
      const others = (notes.get(organization_id) ?? []).filter((note) => authors.get(note) !== user_id);
      notes.set(organization_id, others);
    },
    /** @param {string} organization_id */
    clear: (organization_id) => notes.delete(organization_id),
  };
}
