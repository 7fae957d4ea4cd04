/** The cached states of each user and organization. Ids never collide, so one map serves all kinds of ids. */
export function createGroups<T>(idsOf: (state: T) => readonly string[]) {
  const members = new Map<string, Set<string>>();
  return {
    of: (id: string): Iterable<string> => members.get(id) ?? [],
    add(state: T, sid: string): void {
      for (const id of idsOf(state)) {
        const group = members.get(id);
        if (group) group.add(sid);
        else members.set(id, new Set([sid]));
      }
    },
    remove(state: T, sid: string): void {
      for (const id of idsOf(state)) {
        const group = members.get(id);
        group?.delete(sid);
        if (group?.size === 0) members.delete(id);
      }
    },
  };
}
