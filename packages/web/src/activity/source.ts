import type { AuditPage, AuditQuery, AuditRow } from '@gatehouse/contract';
import { type ComponentType, createContext, useContext } from 'react';

interface UserFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Where a list of audit events comes from: the whole platform, or the organization of the session. */
export interface AuditSource {
  readonly key: readonly unknown[];
  list(query: AuditQuery): Promise<AuditPage>;
  readonly UserField: ComponentType<UserFieldProps>;
  /** The name of a user, or the id if the user cannot be read. */
  readonly UserName: ComponentType<{ id: string }>;
  /** Whether the facts of an event link to pages of the console. */
  readonly hasConsole: boolean;
  /** Returns the name of the actor of an event without a user. */
  anonymous(row: AuditRow): string;
}

export const AuditSourceContext = createContext<AuditSource | undefined>(undefined);

export function useAuditSource(): AuditSource {
  const source = useContext(AuditSourceContext);
  if (!source) throw new Error('an AuditSourceContext is required around this component');
  return source;
}
