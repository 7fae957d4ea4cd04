/** Migrations that change existing rows, by number: which tables, and why nothing is lost. */
const CHANGED: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  6: { audit_hours: 'counted anew, with the sign-ins', audit_mark: 'counting begins anew' },
};

export const changedAfter = (version: number): Set<string> =>
  new Set(
    Object.entries(CHANGED).flatMap(([migration, tables]) => (Number(migration) > version ? Object.keys(tables) : [])),
  );
