import type { AuditRow } from '@gatehouse/contract';
import { useText } from './text.ts';
import { actionName } from './words.ts';

/** Says politely that something has come, for those who do not see it appear. */
export function Arrivals({ arrived }: { arrived: readonly AuditRow[] }) {
  const t = useText();
  return (
    <div role="status" className="visually-hidden">
      {arrived[0] && t.arrived(arrived.length, actionName(arrived[0].action, t))}
    </div>
  );
}
