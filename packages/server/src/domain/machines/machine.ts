import type { KeyState, Machine } from '../kernel/machine.ts';
import { permissionsOf } from '../kernel/permissions.ts';

interface Limits {
  readonly held: KeyState['held'];
  readonly scopes: readonly string[] | null;
  readonly scope: readonly string[] | null;
}

/**
 * docs/reference/machines.md#what-a-machine-may-do: scopes narrow what the roles give, and never widen it. A machine
 * ranks as `member`.
 */
export const effectivePermissions = ({ held, scopes, scope }: Limits): string[] =>
  permissionsOf({ role: 'member', held }).filter(
    (name) => (scopes === null || scopes.includes(name)) && (scope === null || scope.includes(name)),
  );

export const machineOf = (state: KeyState, scope: readonly string[] | null): Machine => ({
  state,
  scope,
  permissions: effectivePermissions({ held: state.held, scopes: state.scopes, scope }),
});
