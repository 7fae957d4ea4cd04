/** Migrations that change rows that were there, by their number: which tables, and why nobody loses anything. */
const CHANGED: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  6: { audit_hours: 'counted anew, with the sign-ins', audit_mark: 'counting begins anew' },
};

/** The tables whose rows may differ when migrations after this one have run. */
export const changedAfter = (version: number): Set<string> =>
  new Set(
    Object.entries(CHANGED).flatMap(([migration, tables]) => (Number(migration) > version ? Object.keys(tables) : [])),
  );
