import type { Application } from '@gatehouse/contract';
import { Tag } from '../../app/Tag.tsx';
import { useText } from './text.ts';

export function StateTag({ application: { enabled } }: { application: Application }) {
  const t = useText();
  return (
    <Tag marked tone={enabled ? 'good' : 'plain'}>
      {enabled ? t.enabled : t.disabled}
    </Tag>
  );
}
