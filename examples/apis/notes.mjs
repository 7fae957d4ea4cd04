// @ts-check
/** @typedef {{ id: number, text: string, by: string }} Note */

/** Notes by organization, in memory. */
export function createNotes() {
  /** @type {Map<string, Note[]>} */
  const notes = new Map();
  let last = 0;
  return {
    /** @param {string} organization_id */
    list: (organization_id) => notes.get(organization_id) ?? [],
    /** @param {import('@gatehouse/verify').Session} session @param {unknown} text */
    add({ organization_id, email, user_id }, text) {
      const note = { id: ++last, text: typeof text === 'string' ? text.slice(0, 200) : '', by: email ?? user_id };
      notes.set(organization_id, [...(notes.get(organization_id) ?? []), note]);
      return note;
    },
    /** @param {string} organization_id */
    clear: (organization_id) => notes.delete(organization_id),
  };
}
