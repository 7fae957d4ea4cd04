import type { AuditAction } from '@gatehouse/contract';

type FirstWord<Action> = Action extends `${infer Word}.${string}` ? Word : never;
export type GroupName = FirstWord<AuditAction>;

export interface ActionGroup {
  /** The first word of the actions. */
  readonly name: GroupName;
  readonly pattern: string;
  readonly actions: readonly string[];
}

export function groupActions(actions: readonly string[], without: readonly string[]): ActionGroup[] {
  const names = [...new Set(actions.map((action) => action.split('.')[0] as GroupName))].filter(
    (name) => !without.includes(name),
  );
  return names.map((name) => ({
    name,
    pattern: `${name}.*`,
    actions: actions.filter((action) => action.startsWith(`${name}.`)),
  }));
}

/** The rule of the service: a full action, or a prefix that ends in `.*`. The form selects `*` by itself. */
export const isPattern = (pattern: string): boolean =>
  pattern.length <= 120 && /^[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*\.([A-Za-z][\w-]*|\*)$/.test(pattern);

export const isCovered = (pattern: string, patterns: readonly string[]): boolean =>
  patterns.some((other) => other !== pattern && other.endsWith('.*') && pattern.startsWith(other.slice(0, -1)));
